// SPDX-License-Identifier: MIT
// Factorised sweep (doc 000, figure 3.6):  y_k = J_k w + b_k,  lambda_k <- prox(lambda_k - R_k y_k),
// w <- w + M^-1 J_k^T dlambda_k.  Linear in contacts, no matrix. The default where there are bodies.
// The layout and the two formulas are in packed_problem.h; here is which contacts are visited when.
#include <algorithm>
#include <numeric>

#include "cairn/core/errors.h"
#include "cairn/solvers/packed_problem.h"
#include "cairn/solvers/sweep.h"

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
  std::size_t size() const override { return packed_.contacts.size() * D + packed_.rows.size(); }
  double run(std::span<double> lambda, ThreadPool* pool) override;
  void refresh(std::span<const double> lambda, ThreadPool* pool) override;
  void project(std::span<double> lambda, ThreadPool* pool) const override;
  void scale_r(double nu) override;
  void weights(std::span<double> weight) const override;
  void add_velocity_change(std::span<Velocity> velocity, ThreadPool* pool) const override;
  void use(JointStage* stage) override { stage_ = stage; }
  double solve_joints(std::span<double> lambda, ThreadPool* pool) override;
  std::size_t bytes() const override;

 private:
  void use_global_r(const ProxSettings& settings, ThreadPool* pool);
  void list_body_contacts();

  double visit(std::int64_t begin, std::int64_t end, double* lambda, BodyState* w) const;
  double run_blocks(const Stage& stage, double* lambda, ThreadPool* pool);
  double run_chunks(const Stage& stage, double* lambda, ThreadPool* pool);
  double run_jacobi(const Stage& stage, double* lambda, ThreadPool* pool);
  double run_split(const Stage& stage, double* lambda, ThreadPool* pool);
  double run_joints(double* lambda, std::span<const std::uint8_t> skipped);
  double row_velocity(const PackedRow& packed, double impulse) const;
  void gather(std::int64_t begin, std::int64_t end, ThreadPool* pool);
  void scatter(std::int64_t begin, std::int64_t end, const double* lambda);
  void refresh_unsafe(const Stage& stage, const double* lambda, ThreadPool* pool);
  void apply_row(const PackedRow& packed, double impulse);

  Schedule schedule_;
  ScheduleScratch schedule_scratch_;
  PackedProblem<D> packed_;
  std::vector<BodyState> w_;                    ///< per slot: M^-1 J^T lambda
  std::vector<Edge> by_position_;               ///< slots of the contact at each position: for stages that gather
  Lists at_body_;                               ///< per slot, positions of its contacts: for stages that gather
  std::vector<WorldImpulse> delta_;             ///< per contact: scratch of stages that gather
  std::vector<std::vector<BodyState>> copies_;  ///< per chunk: scratch of split stages
  bool is_gathering_ = false;                   ///< a stage gathers
  std::vector<double> change_;                  ///< per block: scratch of reductions
  JointStage* stage_ = nullptr;                 ///< none: joints row by row
  std::vector<double> joint_y_, joint_delta_;   ///< per joint row: scratch of the stage
};

template <int D>
void FactorisedSweep<D>::load(const ContactProblem& problem, const ProxSettings& settings,
                              std::span<const std::int32_t> contact_colour, ThreadPool* pool) {
  packed_.pack_bodies(problem, pool);
  const auto slots = static_cast<std::int32_t>(packed_.mass.size());
  const bool by_colour = settings.order == SweepOrder::gauss_seidel &&
                         (settings.schedule == ScheduleKind::automatic || settings.schedule == ScheduleKind::greedy);
  if (by_colour && !contact_colour.empty()) {
    schedule_by_colour(contact_colour, packed_.edges, pool, schedule_scratch_, schedule_);
    CAIRN_ASSERT(is_proper(schedule_, packed_.edges, slots));
  } else {
    make_schedule(settings, packed_.edges, slots, schedule_scratch_, schedule_);
  }
  packed_.pack_contacts(problem, settings, schedule_.order, pool);
  packed_.pack_joints(problem, settings);
  w_.assign(packed_.mass.size(), BodyState{});
  list_body_contacts();
  if (settings.r_factor == RFactor::global) use_global_r(settings, pool);
  change_.resize(packed_.contacts.size() / kContactGrain + 2);
  for (const Stage& stage : schedule_.stages)
    if (stage.kind == StageKind::split) copies_.resize(static_cast<std::size_t>(stage.chunk_count));
}

/// Contacts of each body, where a stage gathers.
template <int D>
void FactorisedSweep<D>::list_body_contacts() {
  is_gathering_ = std::any_of(schedule_.stages.begin(), schedule_.stages.end(), [](const Stage& stage) {
    return stage.kind == StageKind::jacobi || stage.kind == StageKind::split;
  });
  if (!is_gathering_) return;
  delta_.resize(packed_.contacts.size());
  by_position_.resize(packed_.contacts.size());
  for (std::size_t i = 0; i < packed_.contacts.size(); ++i)
    by_position_[i] = packed_.edges[static_cast<std::size_t>(schedule_.order[i])];
  edges_by_vertex(by_position_, static_cast<std::int32_t>(packed_.mass.size()), at_body_);
}

/// r = 1 / (largest eigenvalue of A) by power iteration on w = M^-1 J^T x (doc 000, (3.24); the smallest eigenvalue is
/// 0 for redundant contacts).
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
      packed_velocity<D>(packed_.contacts[i], w_.data(), y);
      for (int j = 0; j < D; ++j) {
        y[j] -= packed_.contacts[i].bias[j];
        length2 += x[i * D + static_cast<std::size_t>(j)] * x[i * D + static_cast<std::size_t>(j)];
        norm2 += y[j] * y[j];
        x[i * D + static_cast<std::size_t>(j)] = y[j];
      }
    }
    largest = length2 > 0 ? std::sqrt(norm2 / length2) : 0;
    if (!(largest > 0)) return;
    const double scale = 1 / std::sqrt(norm2);
    for (double& value : x) value *= scale;
  }
  for (PackedContact<D>& c : packed_.contacts) c.r = {settings.relaxation / largest, settings.relaxation / largest};
}

/// Gauss-Seidel over positions [begin, end) on the state w: the inner loop of everything.
template <int D>
double FactorisedSweep<D>::visit(std::int64_t begin, std::int64_t end, double* lambda, BodyState* w) const {
  double change = 0;
  for (std::int64_t k = begin; k < end; ++k) {
    const PackedContact<D>& c = packed_.contacts[static_cast<std::size_t>(k)];
    double y[D], z[D], delta[D];
    packed_velocity<D>(c, w, y);
    std::copy_n(lambda + k * D, D, z);
    prox_step<D>(packed_.set, c.axes(), c.r, y, z);
    for (int i = 0; i < D; ++i) delta[i] = z[i] - lambda[k * D + i];
    std::copy_n(z, D, lambda + k * D);
    apply_impulse<D>(c, delta, packed_.mass.data(), w);
    change = larger(change, largest_work<D>(delta, y));
  }
  return change;
}

template <int D>
double FactorisedSweep<D>::run(std::span<double> lambda, ThreadPool* pool) {
  const bool together = stage_ != nullptr && stage_->is_in_every_sweep() && !packed_.rows.empty();
  double change = together ? solve_joints(lambda, pool) : 0;
  change = larger(change, run_joints(lambda.data() + packed_.contacts.size() * D,
                                     together ? stage_->taken() : std::span<const std::uint8_t>{}));
  for (const Stage& stage : schedule_.stages) {
    double mine = 0;
    switch (stage.kind) {
      case StageKind::serial: mine = visit(stage.begin, stage.end, lambda.data(), w_.data()); break;
      case StageKind::independent: mine = run_blocks(stage, lambda.data(), pool); break;
      case StageKind::chunks: mine = run_chunks(stage, lambda.data(), pool); break;
      case StageKind::jacobi: mine = run_jacobi(stage, lambda.data(), pool); break;
      case StageKind::split: mine = run_split(stage, lambda.data(), pool); break;
    }
    change = larger(change, mine);
  }
  return std::sqrt(change);
}

template <int D>
double FactorisedSweep<D>::run_blocks(const Stage& stage, double* lambda, ThreadPool* pool) {
  const std::int64_t count = stage.end - stage.begin;
  parallel_for(pool, count, kContactGrain, [&](std::int64_t begin, std::int64_t end) {
    change_[static_cast<std::size_t>(begin / kContactGrain)] =
        visit(stage.begin + begin, stage.begin + end, lambda, w_.data());
  });
  const auto blocks = static_cast<std::size_t>((count + kContactGrain - 1) / kContactGrain);
  return std::accumulate(change_.begin(), change_.begin() + static_cast<std::ptrdiff_t>(blocks), 0.0, larger);
}

template <int D>
double FactorisedSweep<D>::run_chunks(const Stage& stage, double* lambda, ThreadPool* pool) {
  return parallel_reduce(
      pool, stage.chunk_count, 1, 0.0,
      [&](std::int64_t c, std::int64_t) {
        const auto first = static_cast<std::size_t>(stage.first_chunk + c);
        return visit(schedule_.chunk_start[first], schedule_.chunk_start[first + 1], lambda, w_.data());
      },
      larger);
}

/// All contacts of the stage from the same w; then every body gathers what its contacts changed.
template <int D>
double FactorisedSweep<D>::run_jacobi(const Stage& stage, double* lambda, ThreadPool* pool) {
  const double change = parallel_reduce(
      pool, stage.end - stage.begin, kContactGrain, 0.0,
      [&](std::int64_t begin, std::int64_t end) {
        double most = 0;
        for (std::int64_t k = stage.begin + begin; k < stage.begin + end; ++k) {
          const PackedContact<D>& c = packed_.contacts[static_cast<std::size_t>(k)];
          double y[D], z[D], delta[D];
          packed_velocity<D>(c, w_.data(), y);
          std::copy_n(lambda + k * D, D, z);
          prox_step<D>(packed_.set, c.axes(), c.r, y, z);
          for (int i = 0; i < D; ++i) delta[i] = z[i] - lambda[k * D + i];
          std::copy_n(z, D, lambda + k * D);
          delta_[static_cast<std::size_t>(k)] = world_impulse<D>(c, delta);
          most = larger(most, largest_work<D>(delta, y));
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
                     const PackedContact<D>& c = packed_.contacts[static_cast<std::size_t>(k)];
                     const WorldImpulse& impulse = delta_[static_cast<std::size_t>(k)];
                     const bool is_b = c.b == body;
                     const double sign = is_b ? 1.0 : -1.0;
                     p += sign * impulse.p;
                     torque += sign * (cross(is_b ? c.arm_b : c.arm_a, impulse.p) + impulse.torque);
                   }
                   BodyState& w = w_[static_cast<std::size_t>(body)];
                   const BodyMass& mass = packed_.mass[static_cast<std::size_t>(body)];
                   w.linear += mass.inverse_mass * p;
                   w.angular += mass.inverse_inertia * torque;
                 }
               });
}

/// Each chunk works on its own copy of w; the changes of all copies are added in the order of the chunks.
template <int D>
double FactorisedSweep<D>::run_split(const Stage& stage, double* lambda, ThreadPool* pool) {
  const double change = parallel_reduce(
      pool, stage.chunk_count, 1, 0.0,
      [&](std::int64_t c, std::int64_t) {
        std::vector<BodyState>& copy = copies_[static_cast<std::size_t>(c)];
        copy = w_;
        const auto first = static_cast<std::size_t>(stage.first_chunk + c);
        return visit(schedule_.chunk_start[first], schedule_.chunk_start[first + 1], lambda, copy.data());
      },
      larger);
  parallel_for(pool, static_cast<std::int64_t>(w_.size()), kBodyGrain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const BodyState start = w_[static_cast<std::size_t>(i)];
      BodyState& w = w_[static_cast<std::size_t>(i)];
      for (std::int64_t c = 0; c < stage.chunk_count; ++c) {
        const BodyState& mine = copies_[static_cast<std::size_t>(c)][static_cast<std::size_t>(i)];
        w.linear += mine.linear - start.linear;
        w.angular += mine.angular - start.angular;
      }
    }
  });
  return change;
}

/// y of a joint row.
template <int D>
double FactorisedSweep<D>::row_velocity(const PackedRow& packed, double impulse) const {
  static const BodyState kAtRest;
  const BodyState& a = packed.a != kNoVertex ? w_[static_cast<std::size_t>(packed.a)] : kAtRest;
  const BodyState& b = packed.b != kNoVertex ? w_[static_cast<std::size_t>(packed.b)] : kAtRest;
  return joint_velocity(packed.row, {a.linear, a.angular}, {b.linear, b.angular}) + packed.bias +
         packed.softness * impulse;
}

/// Joint rows, one after the other, before the contacts: lambda <- clamp(lambda - r (y + G lambda)).
template <int D>
double FactorisedSweep<D>::run_joints(double* lambda, std::span<const std::uint8_t> skipped) {
  double change = 0;
  for (std::size_t k = 0; k < packed_.rows.size(); ++k) {
    if (!skipped.empty() && skipped[k] != 0) continue;
    const PackedRow& packed = packed_.rows[k];
    const double y = row_velocity(packed, lambda[k]);
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
  while (again) {
    for (std::size_t k = 0; k < packed_.rows.size(); ++k) joint_y_[k] = row_velocity(packed_.rows[k], impulse[k]);
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
  for (const Stage& stage : schedule_.stages) {
    switch (stage.kind) {
      case StageKind::serial: scatter(stage.begin, stage.end, lambda.data()); break;
      case StageKind::independent:
        parallel_for(pool, stage.end - stage.begin, kContactGrain, [&](std::int64_t begin, std::int64_t end) {
          scatter(stage.begin + begin, stage.begin + end, lambda.data());
        });
        break;
      case StageKind::chunks:
        parallel_for(pool, stage.chunk_count, 1, [&](std::int64_t c, std::int64_t) {
          const auto first = static_cast<std::size_t>(stage.first_chunk + c);
          scatter(schedule_.chunk_start[first], schedule_.chunk_start[first + 1], lambda.data());
        });
        break;
      case StageKind::jacobi:
      case StageKind::split: refresh_unsafe(stage, lambda.data(), pool); break;
    }
  }
  for (std::size_t k = 0; k < packed_.rows.size(); ++k)
    apply_row(packed_.rows[k], lambda[packed_.contacts.size() * D + k]);
}

/// Adds the impulses at positions [begin, end) to w, one after the other.
template <int D>
void FactorisedSweep<D>::scatter(std::int64_t begin, std::int64_t end, const double* lambda) {
  for (std::int64_t k = begin; k < end; ++k)
    apply_impulse<D>(packed_.contacts[static_cast<std::size_t>(k)], lambda + k * D, packed_.mass.data(), w_.data());
}

/// Contacts of such a stage share bodies: the bodies gather.
template <int D>
void FactorisedSweep<D>::refresh_unsafe(const Stage& stage, const double* lambda, ThreadPool* pool) {
  parallel_for(pool, stage.end - stage.begin, kContactGrain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t k = stage.begin + begin; k < stage.begin + end; ++k)
      delta_[static_cast<std::size_t>(k)] =
          world_impulse<D>(packed_.contacts[static_cast<std::size_t>(k)], lambda + k * D);
  });
  gather(stage.begin, stage.end, pool);
}

/// w <- w + M^-1 J^T of one joint row.
template <int D>
void FactorisedSweep<D>::apply_row(const PackedRow& packed, double impulse) {
  const auto to_body = [&](std::int32_t slot, const Vec3& linear, const Vec3& angular) {
    if (slot == kNoVertex) return;
    BodyState& w = w_[static_cast<std::size_t>(slot)];
    w.linear += packed_.mass[static_cast<std::size_t>(slot)].inverse_mass * impulse * linear;
    w.angular += packed_.mass[static_cast<std::size_t>(slot)].inverse_inertia * (impulse * angular);
  };
  to_body(packed.a, packed.row.linear_a, packed.row.angular_a);
  to_body(packed.b, packed.row.linear_b, packed.row.angular_b);
}

template <int D>
void FactorisedSweep<D>::project(std::span<double> lambda, ThreadPool* pool) const {
  parallel_for(pool, static_cast<std::int64_t>(packed_.contacts.size()), kContactGrain,
               [&](std::int64_t begin, std::int64_t end) {
                 for (std::int64_t k = begin; k < end; ++k)
                   project_contact<D>(packed_.set, packed_.contacts[static_cast<std::size_t>(k)].axes(),
                                      lambda.data() + k * D);
               });
  for (std::size_t k = 0; k < packed_.rows.size(); ++k) {
    double& value = lambda[packed_.contacts.size() * D + k];
    value = std::clamp(value, packed_.rows[k].row.lower, packed_.rows[k].row.upper);
  }
}

template <int D>
void FactorisedSweep<D>::scale_r(double nu) {
  for (PackedContact<D>& c : packed_.contacts) c.r = {nu * c.r.normal, nu * c.r.friction};
  for (PackedRow& row : packed_.rows) row.r *= nu;
}

template <int D>
void FactorisedSweep<D>::weights(std::span<double> weight) const {
  const auto inverse = [](double r) { return r > 0 ? 1 / r : 0.0; };
  for (std::size_t k = 0; k < packed_.contacts.size(); ++k) {
    weight[k * D] = inverse(packed_.contacts[k].r.normal);
    for (int i = 1; i < D; ++i) weight[k * D + static_cast<std::size_t>(i)] = inverse(packed_.contacts[k].r.friction);
  }
  for (std::size_t k = 0; k < packed_.rows.size(); ++k)
    weight[packed_.contacts.size() * D + k] = inverse(packed_.rows[k].r);
}

template <int D>
void FactorisedSweep<D>::add_velocity_change(std::span<Velocity> velocity, ThreadPool* pool) const {
  parallel_for(pool, static_cast<std::int64_t>(velocity.size()), kBodyGrain, [&](std::int64_t begin, std::int64_t end) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      if (packed_.slot[i] == kNoVertex) continue;
      velocity[i].linear += w_[static_cast<std::size_t>(packed_.slot[i])].linear;
      velocity[i].angular += w_[static_cast<std::size_t>(packed_.slot[i])].angular;
    }
  });
}

template <int D>
std::size_t FactorisedSweep<D>::bytes() const {
  const auto size_of = [](const auto& array) { return array.size() * sizeof(array[0]); };
  std::size_t total = packed_.bytes() + size_of(w_) + size_of(schedule_.order);
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
