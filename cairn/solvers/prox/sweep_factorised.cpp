// SPDX-License-Identifier: MIT
// Factorised sweep (Poulsen 2010, figure 3.6):  y_k = J_k w + b_k,  lambda_k <- prox(lambda_k - R_k y_k),
// w <- w + M^-1 J_k^T dlambda_k.  Linear in contacts, no matrix. The default where there are bodies.
// The layout and the two formulas are in packed_problem.h; here is which contacts are visited when.
#include <algorithm>
#include <numeric>

#include "cairn/core/errors.h"
#include "cairn/core/index.h"
#include "cairn/solvers/prox/packed_problem.h"
#include "cairn/solvers/prox/sweep.h"
#include "cairn/solvers/splitting/split_stage.h"

namespace cairn {

namespace {

constexpr std::int64_t kContactGrain = 1024;
constexpr std::int64_t kBodyGrain = 1024;

template <int D>
class FactorisedSweep : public BodySweep {
 public:
  void load(const ContactProblem& problem, const ProxSettings& settings, std::span<const std::int32_t> contact_colour,
            ThreadPool* pool) override;

  int dim() const override { return D; }
  const Schedule& schedule() const override { return schedule_; }
  std::span<const std::int32_t> order() const override { return schedule_.order; }
  std::size_t size() const override { return packed_.size(); }
  double run(std::span<double> lambda, ThreadPool* pool) override;
  void refresh(std::span<const double> lambda, ThreadPool* pool) override;
  std::span<double> state() override { return as_numbers(w_); }
  void project(std::span<double> lambda, ThreadPool* pool) const override { packed_.project(lambda, pool); }
  void scale_r(double nu) override { packed_.scale_r(nu); }
  void weights(std::span<double> weight) const override { packed_.weights(weight); }
  void add_velocity_change(std::span<Velocity> velocity, ThreadPool* pool) const override {
    packed_.add_states(w_, velocity, pool);
  }
  void use(JointStage* stage) override { stage_ = stage; }
  double solve_joints(std::span<double> lambda, ThreadPool* pool) override;
  std::size_t bytes() const override;

 private:
  void use_global_r(const ProxSettings& settings, ThreadPool* pool);
  void list_body_contacts();
  void load_split_stage(const ProxSettings& settings, ThreadPool* pool);

  template <ContactRows kRows>
  double visit(std::int64_t begin, std::int64_t end, double* lambda, BodyState* w) const;
  template <ContactRows kRows>
  double run_stages(double* lambda, ThreadPool* pool);
  template <ContactRows kRows>
  double run_blocks(const SweepStage& stage, double* lambda, ThreadPool* pool);
  template <ContactRows kRows>
  double run_chunks(const SweepStage& stage, double* lambda, ThreadPool* pool);
  template <ContactRows kRows>
  double run_jacobi(const SweepStage& stage, double* lambda, ThreadPool* pool);
  template <ContactRows kRows>
  double run_slices(const SweepStage& stage, double* lambda, ThreadPool* pool);
  double run_joints(double* lambda, std::span<const std::uint8_t> skipped);
  double row_residual(const PackedRow& packed, double impulse) const;
  void gather(std::int64_t begin, std::int64_t end, ThreadPool* pool);
  void scatter(std::int64_t begin, std::int64_t end, const double* lambda);
  void refresh_unsafe(const SweepStage& stage, const double* lambda, ThreadPool* pool);
  void apply_row(const PackedRow& packed, double impulse);

  Schedule schedule_;
  ScheduleScratch schedule_scratch_;
  PackedProblem<D> packed_;
  std::vector<BodyState> w_;                    ///< per slot: M^-1 J^T lambda
  std::vector<Edge> by_position_;               ///< slots of the contact at each position: for stages that gather
  Lists at_body_;                               ///< per slot, positions of its contacts: for stages that gather
  std::vector<WorldImpulse> delta_;             ///< per contact: scratch of stages that gather
  std::vector<std::vector<BodyState>> copies_;  ///< per chunk: scratch of stages of slices
  std::vector<SplitBlock> split_blocks_;        ///< of the split stage
  SplitStage<D> split_;                         ///< the split stage, where there is one
  bool has_split_ = false;                      ///< there is one
  bool is_staggered_ = false;                   ///< normal rows of all stages, then friction rows
  bool is_gathering_ = false;                   ///< a stage gathers
  std::vector<double> change_;                  ///< per block: scratch of reductions
  JointStage* stage_ = nullptr;                 ///< none: joints row by row
  std::vector<double> joint_y_, joint_delta_;   ///< per joint row: scratch of the stage
};

template <int D>
void FactorisedSweep<D>::load(const ContactProblem& problem, const ProxSettings& settings,
                              std::span<const std::int32_t> contact_colour, ThreadPool* pool) {
  is_staggered_ = settings.friction_order == FrictionOrder::staggered;
  packed_.pack_bodies(problem, pool);
  const auto slots = static_cast<std::int32_t>(packed_.mass.size());
  const bool by_colour = settings.order == SweepOrder::gauss_seidel &&
                         (settings.schedule == ScheduleKind::automatic || settings.schedule == ScheduleKind::greedy ||
                          settings.schedule == ScheduleKind::split);
  if (by_colour && !contact_colour.empty()) {
    LeftOver left_over;
    left_over.is_split = settings.schedule != ScheduleKind::greedy;
    if (settings.schedule == ScheduleKind::split)
      left_over.merge_below = settings.merge_below, left_over.max_colours = settings.max_colours;
    schedule_by_colour({contact_colour, packed_.edges}, left_over, pool, schedule_scratch_, schedule_);
    CAIRN_ASSERT(is_proper(schedule_, packed_.edges, slots));
  } else {
    make_schedule(settings, packed_.edges, slots, schedule_scratch_, schedule_);
  }
  packed_.pack_contacts(problem, settings, schedule_.order, pool);
  packed_.pack_joints(problem, settings);
  w_.assign(packed_.mass.size(), BodyState{});
  list_body_contacts();
  load_split_stage(settings, pool);
  if (settings.r_factor == RFactor::global) use_global_r(settings, pool);
  change_.resize(packed_.contacts.size() / kContactGrain + 2);
  for (const SweepStage& stage : schedule_.stages)
    if (stage.kind == StageKind::slices) copies_.resize(to_index(stage.chunk_count));
}

/// Contacts of each body, where a stage gathers.
template <int D>
void FactorisedSweep<D>::list_body_contacts() {
  is_gathering_ = std::any_of(schedule_.stages.begin(), schedule_.stages.end(), [](const SweepStage& stage) {
    return stage.kind == StageKind::jacobi || stage.kind == StageKind::slices;
  });
  if (!is_gathering_) return;
  delta_.resize(packed_.contacts.size());
  by_position_.resize(packed_.contacts.size());
  for (std::size_t i = 0; i < packed_.contacts.size(); ++i)
    by_position_[i] = packed_.edges[to_index(schedule_.order[i])];
  edges_by_vertex(by_position_, static_cast<std::int32_t>(packed_.mass.size()), at_body_);
}

/// The blocks of a split stage are neighbours with the same two bodies; there is one such stage at most.
template <int D>
void FactorisedSweep<D>::load_split_stage(const ProxSettings& settings, ThreadPool* pool) {
  const auto stage = std::find_if(schedule_.stages.begin(), schedule_.stages.end(),
                                  [](const SweepStage& s) { return s.kind == StageKind::split; });
  split_blocks_.clear();
  has_split_ = stage != schedule_.stages.end();
  if (!has_split_) return;
  for (auto k = static_cast<std::int32_t>(stage->begin); k < static_cast<std::int32_t>(stage->end); ++k) {
    const PackedContact<D>& c = packed_.contacts[to_index(k)];
    const bool joins = !split_blocks_.empty() && packed_.contacts[to_index(k) - 1].a == c.a &&
                       packed_.contacts[to_index(k) - 1].b == c.b;
    if (!joins) split_blocks_.push_back({k, k});
    split_blocks_.back().contact_end = k + 1;
  }
  SplitRule rule;
  rule.staggered = is_staggered_;
  rule.full_mass = true;
  rule.relaxation = settings.relaxation;
  split_.load(split_blocks_, {}, rule, packed_, pool);
}

/// r = 1 / (largest eigenvalue of A) by power iteration on w = M^-1 J^T x (Poulsen 2010, (3.24); the smallest
/// eigenvalue is 0 for redundant contacts).
template <int D>
void FactorisedSweep<D>::use_global_r(const ProxSettings& settings, ThreadPool* pool) {
  constexpr int kSteps = 20;
  std::vector<double> x(size(), 0.0);
  for (std::size_t i = 0; i < packed_.contacts.size() * D; ++i) x[i] = 1.0 + 0.1 * static_cast<double>(i % 7);
  double largest = 0;
  for (int step = 0; step < kSteps; ++step) {
    refresh(x, pool);
    double norm2 = 0, length2 = 0;
    for (std::size_t i = 0; i < packed_.contacts.size(); ++i) {
      double y[D];
      const PackedContact<D>& c = packed_.contacts[i];
      packed_velocity<D>(c, state_of(w_.data(), c.a), state_of(w_.data(), c.b), y);
      for (int j = 0; j < D; ++j) {
        y[j] -= c.bias[j];
        length2 += x[i * D + to_index(j)] * x[i * D + to_index(j)];
        norm2 += y[j] * y[j];
        x[i * D + to_index(j)] = y[j];
      }
    }
    largest = length2 > 0 ? std::sqrt(norm2 / length2) : 0;
    if (!(largest > 0)) return;
    const double scale = 1 / std::sqrt(norm2);
    for (double& value : x) value *= scale;
  }
  for (PackedContact<D>& c : packed_.contacts) c.r = {settings.relaxation / largest, settings.relaxation / largest};
  if (has_split_) split_.set_r(packed_, pool);  // a split stage converges with its own alone
}

/// Gauss-Seidel over positions [begin, end) on the state w: the inner loop of everything.
template <int D>
template <ContactRows kRows>
[[gnu::flatten]] double FactorisedSweep<D>::visit(std::int64_t begin, std::int64_t end, double* lambda,
                                                  BodyState* w) const {
  double change = 0;
  for (std::int64_t k = begin; k < end; ++k) {
    const PackedContact<D>& c = packed_.contacts[to_index(k)];
    const ContactTurn turn = take_turn<D, kRows>(packed_.set, c, state_of(w, c.a), state_of(w, c.b), lambda + k * D);
    apply_impulse<D>(c, turn.impulse, packed_.mass.data(), w);
    change = larger(change, turn.work);
  }
  return change;
}

template <int D>
double FactorisedSweep<D>::run(std::span<double> lambda, ThreadPool* pool) {
  const bool together = stage_ != nullptr && stage_->is_in_every_sweep() && !packed_.rows.empty();
  double change = together ? solve_joints(lambda, pool) : 0;
  change = larger(change, run_joints(lambda.data() + packed_.contacts.size() * D,
                                     together ? stage_->taken() : std::span<const std::uint8_t>{}));
  if (is_staggered_) {
    change = larger(change, run_stages<ContactRows::normal>(lambda.data(), pool));
    change = larger(change, run_stages<ContactRows::friction>(lambda.data(), pool));
  } else {
    change = larger(change, run_stages<ContactRows::all>(lambda.data(), pool));
  }
  return std::sqrt(change);
}

template <int D>
template <ContactRows kRows>
double FactorisedSweep<D>::run_stages(double* lambda, ThreadPool* pool) {
  double change = 0;
  for (const SweepStage& stage : schedule_.stages) {
    double mine = 0;
    switch (stage.kind) {
      case StageKind::serial: mine = visit<kRows>(stage.begin, stage.end, lambda, w_.data()); break;
      case StageKind::independent: mine = run_blocks<kRows>(stage, lambda, pool); break;
      case StageKind::chunks: mine = run_chunks<kRows>(stage, lambda, pool); break;
      case StageKind::jacobi: mine = run_jacobi<kRows>(stage, lambda, pool); break;
      case StageKind::slices: mine = run_slices<kRows>(stage, lambda, pool); break;
      case StageKind::split: mine = split_.template run_pass<kRows>(packed_, lambda, w_.data(), pool); break;
    }
    change = larger(change, mine);
  }
  return change;
}

template <int D>
template <ContactRows kRows>
double FactorisedSweep<D>::run_blocks(const SweepStage& stage, double* lambda, ThreadPool* pool) {
  const std::int64_t count = stage.end - stage.begin;
  parallel_for(pool, count, kContactGrain, [&](std::int64_t begin, std::int64_t end) {
    change_[to_index(begin / kContactGrain)] = visit<kRows>(stage.begin + begin, stage.begin + end, lambda, w_.data());
  });
  const auto blocks = to_index((count + kContactGrain - 1) / kContactGrain);
  return std::accumulate(change_.begin(), change_.begin() + static_cast<std::ptrdiff_t>(blocks), 0.0, larger);
}

template <int D>
template <ContactRows kRows>
double FactorisedSweep<D>::run_chunks(const SweepStage& stage, double* lambda, ThreadPool* pool) {
  return parallel_reduce(
      pool, stage.chunk_count, 1, 0.0,
      [&](std::int64_t c, std::int64_t) {
        const auto first = to_index(stage.first_chunk + c);
        return visit<kRows>(schedule_.chunk_start[first], schedule_.chunk_start[first + 1], lambda, w_.data());
      },
      larger);
}

/// All contacts of the stage from the same w; then every body gathers what its contacts changed.
template <int D>
template <ContactRows kRows>
double FactorisedSweep<D>::run_jacobi(const SweepStage& stage, double* lambda, ThreadPool* pool) {
  const double change = parallel_reduce(
      pool, stage.end - stage.begin, kContactGrain, 0.0,
      [&](std::int64_t begin, std::int64_t end) {
        double most = 0;
        for (std::int64_t k = stage.begin + begin; k < stage.begin + end; ++k) {
          const PackedContact<D>& c = packed_.contacts[to_index(k)];
          const ContactTurn turn =
              take_turn<D, kRows>(packed_.set, c, state_of(w_.data(), c.a), state_of(w_.data(), c.b), lambda + k * D);
          delta_[to_index(k)] = turn.impulse;
          most = larger(most, turn.work);
        }
        return most;
      },
      larger);
  gather(stage.begin, stage.end, pool);
  return change;
}

/// w_b <- w_b + M_b^-1 sum of delta_ over the contacts of b at positions [begin, end), in ascending order.
template <int D>
void FactorisedSweep<D>::gather(std::int64_t begin, std::int64_t end, ThreadPool* pool) {
  parallel_for(pool, static_cast<std::int64_t>(packed_.mass.size()), kBodyGrain,
               [&](std::int64_t first, std::int64_t last) {
                 for (std::int64_t body = first; body < last; ++body) {
                   Vec3 p, torque;
                   for (const std::int32_t k : at_body_[body]) {
                     if (k < begin || k >= end) continue;
                     const PackedContact<D>& c = packed_.contacts[to_index(k)];
                     const WorldImpulse& impulse = delta_[to_index(k)];
                     const bool is_b = c.b == body;
                     const double sign = is_b ? 1.0 : -1.0;
                     p += sign * impulse.p;
                     torque += sign * (cross(is_b ? c.arm_b : c.arm_a, impulse.p) + impulse.torque);
                   }
                   BodyState& w = w_[to_index(body)];
                   const BodyMass& mass = packed_.mass[to_index(body)];
                   w.linear += mass.inverse_mass * p;
                   w.angular += mass.inverse_inertia * torque;
                 }
               });
}

/// Each chunk works on its own copy of w; the changes of all copies are added in the order of the chunks.
template <int D>
template <ContactRows kRows>
double FactorisedSweep<D>::run_slices(const SweepStage& stage, double* lambda, ThreadPool* pool) {
  const double change = parallel_reduce(
      pool, stage.chunk_count, 1, 0.0,
      [&](std::int64_t c, std::int64_t) {
        std::vector<BodyState>& copy = copies_[to_index(c)];
        copy = w_;
        const auto first = to_index(stage.first_chunk + c);
        return visit<kRows>(schedule_.chunk_start[first], schedule_.chunk_start[first + 1], lambda, copy.data());
      },
      larger);
  parallel_for(pool, static_cast<std::int64_t>(w_.size()), kBodyGrain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const BodyState start = w_[to_index(i)];
      BodyState& w = w_[to_index(i)];
      for (std::int64_t c = 0; c < stage.chunk_count; ++c) {
        const BodyState& mine = copies_[to_index(c)][to_index(i)];
        w.linear += mine.linear - start.linear;
        w.angular += mine.angular - start.angular;
      }
    }
  });
  return change;
}

/// y + G lambda of a joint row.
template <int D>
double FactorisedSweep<D>::row_residual(const PackedRow& packed, double impulse) const {
  return row_velocity(packed, state_of(w_.data(), packed.a), state_of(w_.data(), packed.b)) + packed.softness * impulse;
}

/// Joint rows, one after the other, before the contacts: lambda <- clamp(lambda - r (y + G lambda)).
template <int D>
double FactorisedSweep<D>::run_joints(double* lambda, std::span<const std::uint8_t> skipped) {
  double change = 0;
  for (std::size_t k = 0; k < packed_.rows.size(); ++k) {
    if (!skipped.empty() && skipped[k] != 0) continue;
    const PackedRow& packed = packed_.rows[k];
    const double y = row_residual(packed, lambda[k]);
    const double next = std::clamp(lambda[k] - packed.r * y, packed.row.lower, packed.row.upper);
    const double delta = next - lambda[k];
    lambda[k] = next;
    change = larger(change, std::fabs(delta * y));
    apply_row(packed, delta);
  }
  return change;
}

/// All rows from the same w; again while the stage changes which rows it takes.
template <int D>
double FactorisedSweep<D>::solve_joints(std::span<double> lambda, ThreadPool* pool) {
  if (stage_ == nullptr || packed_.rows.empty()) return 0;
  const std::span<double> impulse = lambda.subspan(packed_.contacts.size() * D);
  joint_y_.resize(packed_.rows.size());
  joint_delta_.resize(packed_.rows.size());
  double change = 0;
  bool again = true;
  stage_->begin();
  while (again) {
    for (std::size_t k = 0; k < packed_.rows.size(); ++k) joint_y_[k] = row_residual(packed_.rows[k], impulse[k]);
    again = stage_->solve(joint_y_, impulse, joint_delta_, pool);
    for (std::size_t k = 0; k < packed_.rows.size(); ++k) {
      impulse[k] += joint_delta_[k];
      change = larger(change, std::fabs(joint_delta_[k] * joint_y_[k]));
      apply_row(packed_.rows[k], joint_delta_[k]);
    }
  }
  return change;
}

/// w = M^-1 J^T lambda from nothing, stage by stage like a sweep, so that the order of the sums is the schedule's.
template <int D>
void FactorisedSweep<D>::refresh(std::span<const double> lambda, ThreadPool* pool) {
  std::fill(w_.begin(), w_.end(), BodyState{});
  for (const SweepStage& stage : schedule_.stages) {
    switch (stage.kind) {
      case StageKind::serial: scatter(stage.begin, stage.end, lambda.data()); break;
      case StageKind::independent:
        parallel_for(pool, stage.end - stage.begin, kContactGrain, [&](std::int64_t begin, std::int64_t end) {
          scatter(stage.begin + begin, stage.begin + end, lambda.data());
        });
        break;
      case StageKind::chunks:
        parallel_for(pool, stage.chunk_count, 1, [&](std::int64_t c, std::int64_t) {
          const auto first = to_index(stage.first_chunk + c);
          scatter(schedule_.chunk_start[first], schedule_.chunk_start[first + 1], lambda.data());
        });
        break;
      case StageKind::jacobi:
      case StageKind::slices: refresh_unsafe(stage, lambda.data(), pool); break;
      case StageKind::split: split_.apply(packed_, lambda.data(), w_.data(), pool); break;
    }
  }
  for (std::size_t k = 0; k < packed_.rows.size(); ++k)
    apply_row(packed_.rows[k], lambda[packed_.contacts.size() * D + k]);
}

/// Adds the impulses at positions [begin, end) to w, one after the other.
template <int D>
void FactorisedSweep<D>::scatter(std::int64_t begin, std::int64_t end, const double* lambda) {
  for (std::int64_t k = begin; k < end; ++k)
    apply_impulse<D>(packed_.contacts[to_index(k)], world_impulse<D>(packed_.contacts[to_index(k)], lambda + k * D),
                     packed_.mass.data(), w_.data());
}

/// Contacts of such a stage share bodies: the bodies gather.
template <int D>
void FactorisedSweep<D>::refresh_unsafe(const SweepStage& stage, const double* lambda, ThreadPool* pool) {
  parallel_for(pool, stage.end - stage.begin, kContactGrain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t k = stage.begin + begin; k < stage.begin + end; ++k)
      delta_[to_index(k)] = world_impulse<D>(packed_.contacts[to_index(k)], lambda + k * D);
  });
  gather(stage.begin, stage.end, pool);
}

/// w <- w + M^-1 J^T of one joint row.
template <int D>
void FactorisedSweep<D>::apply_row(const PackedRow& packed, double impulse) {
  const auto to_body = [&](std::int32_t slot, const Vec3& linear, const Vec3& angular) {
    if (slot == kNoVertex) return;
    BodyState& w = w_[to_index(slot)];
    w.linear += packed_.mass[to_index(slot)].inverse_mass * impulse * linear;
    w.angular += packed_.mass[to_index(slot)].inverse_inertia * (impulse * angular);
  };
  to_body(packed.a, packed.row.linear_a, packed.row.angular_a);
  to_body(packed.b, packed.row.linear_b, packed.row.angular_b);
}

template <int D>
std::size_t FactorisedSweep<D>::bytes() const {
  const auto size_of = [](const auto& array) { return array.size() * sizeof(array[0]); };
  std::size_t total = packed_.bytes() + size_of(w_) + size_of(schedule_.order);
  if (has_split_) total += split_.bytes() + size_of(split_blocks_);
  if (!is_gathering_) return total;
  total += size_of(by_position_) + size_of(at_body_.item) + size_of(at_body_.start) + size_of(delta_);
  for (const auto& copy : copies_) total += size_of(copy);
  return total;
}

}  // namespace

std::unique_ptr<BodySweep> make_factorised_sweep(int dim) {
  if (dim == 4) return std::make_unique<FactorisedSweep<4>>();
  return std::make_unique<FactorisedSweep<3>>();
}

}  // namespace cairn
