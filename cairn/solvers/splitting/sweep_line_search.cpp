// SPDX-License-Identifier: MIT
// Jacobi with a line search (Tonge et al. 2012, (10), after Cottle, Pang and Stone 1992): from the same state every row
// takes its projected step d, then all go the same part alpha of it, the one that minimises f = 1/2 z^T N z + z^T q:
//
//   d = C( z - D^-1 (N z + q) ) - z,   alpha = -(d . y) / (d^T N d),   z <- z + alpha d
//
// As printed, alpha may be any number >= 0; beyond the admissible set there is no meaning in it, so it ends at the
// first row that would leave. Normal and joint rows first, then friction within the bounds of the new normal impulses.
#include <algorithm>
#include <cmath>
#include <limits>

#include "cairn/core/index.h"
#include "cairn/solvers/prox/packed_problem.h"
#include "cairn/solvers/splitting/pair_order.h"
#include "cairn/solvers/splitting/sweep_split.h"

namespace cairn {

namespace {

constexpr std::int64_t kGrain = 1024;

/// Along the step of some rows: slope d . y, the largest admissible alpha, the largest |d_i y_i|.
struct Along {
  double slope = 0;
  double limit = std::numeric_limits<double>::infinity();
  double work = 0;
};
Along join(const Along& a, const Along& b) {
  return {a.slope + b.slope, std::min(a.limit, b.limit), larger(a.work, b.work)};
}

/// How far x may go along d before it leaves [lower, upper].
double limit_between(double x, double d, double lower, double upper) {
  if (d > 0) return (upper - x) / d;
  if (d < 0) return (lower - x) / d;
  return std::numeric_limits<double>::infinity();
}

/// How far z may go along d before it leaves the ellipsoid sum (z_i / a_i)^2 <= 1: the larger root of a quadratic.
template <int N>
double limit_in_ellipsoid(const double* mu, double normal, const double* z, const double* d) {
  double square = 0, mixed = 0, inside = -1;
  for (int i = 0; i < N; ++i) {
    const double a = mu[i] * normal;
    if (!(a > 0)) continue;
    square += d[i] / a * (d[i] / a);
    mixed += z[i] / a * (d[i] / a);
    inside += z[i] / a * (z[i] / a);
  }
  if (!(square > 0)) return std::numeric_limits<double>::infinity();
  return (std::sqrt(mixed * mixed - square * std::min(inside, 0.0)) - mixed) / square;
}

template <int D>
class LineSearchSweep : public OrderFreeSweep {
 public:
  void load(const ContactProblem& problem, const ContactSolution& start, const SplittingSettings& settings,
            ThreadPool* pool) override;

  int dim() const override { return D; }
  const Schedule& schedule() const override { return schedule_; }
  std::span<const std::int32_t> order() const override { return pairs_.contacts(); }
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
  std::size_t bytes() const override;

 private:
  template <ContactRows kRows>
  Along find_steps(const double* lambda, ThreadPool* pool);
  Along find_joint_steps(const double* lambda);
  void clip_friction(double* lambda, ThreadPool* pool);
  double gather(bool with_joints, ThreadPool* pool);
  double joint_curvature() const;
  double search(const Along& along, double curvature, ThreadPool* pool);
  template <ContactRows kRows>
  void go(double alpha, double* lambda, ThreadPool* pool);
  /// work(position) for every contact.
  template <class Work>
  void for_contacts(ThreadPool* pool, Work&& work) {
    parallel_for(pool, static_cast<std::int64_t>(packed_.contacts.size()), kGrain,
                 [&](std::int64_t begin, std::int64_t end) {
                   for (std::int64_t k = begin; k < end; ++k) work(k);
                 });
  }

  Schedule schedule_;  ///< without colours or stages: nothing is in sequence
  PairOrder pairs_;
  PackedProblem<D> packed_;
  bool has_friction_ = false;
  std::vector<Edge> edges_;            ///< per contact position, then per entry of pairs_.rows(): slots
  Lists at_body_;                      ///< per slot: which of these touch it
  std::vector<double> step_;           ///< d, laid out like lambda
  std::vector<WorldImpulse> impulse_;  ///< per contact: J^T d in world axes
  std::vector<BodyState> change_;      ///< per slot: M^-1 J^T d
  std::vector<BodyState> w_;           ///< per slot: M^-1 J^T lambda
};

template <int D>
void LineSearchSweep<D>::load(const ContactProblem& problem, const ContactSolution& start,
                              const SplittingSettings& settings, ThreadPool* pool) {
  ProxSettings steps;
  steps.relaxation = settings.relaxation;
  packed_.pack_bodies(problem, pool);
  const auto slots = static_cast<std::int32_t>(packed_.mass.size());
  pairs_.sort(problem, packed_.slot, slots, pool, start.contact_impulse);
  packed_.pack_contacts(problem, steps, pairs_.contacts(), pool, BodyOrder::ascending);
  packed_.pack_joints(problem, steps);
  edges_.clear();
  has_friction_ = false;
  for (const PackedContact<D>& c : packed_.contacts) {
    edges_.push_back({c.a, c.b});
    has_friction_ = has_friction_ || std::any_of(c.mu, c.mu + D - 1, [](double mu) { return mu > 0; });
  }
  for (const std::int32_t k : pairs_.rows())
    edges_.push_back({packed_.rows[to_index(k)].a, packed_.rows[to_index(k)].b});
  edges_by_vertex(edges_, slots, at_body_);
  step_.assign(packed_.size(), 0.0);
  impulse_.resize(packed_.contacts.size());
  change_.assign(packed_.mass.size(), BodyState{});
  w_.assign(packed_.mass.size(), BodyState{});
}

template <int D>
double LineSearchSweep<D>::run(std::span<double> lambda, ThreadPool* pool) {
  const Along normal = join(find_steps<ContactRows::normal>(lambda.data(), pool), find_joint_steps(lambda.data()));
  double alpha = search(normal, gather(true, pool) + joint_curvature(), pool);
  go<ContactRows::normal>(alpha, lambda.data(), pool);
  const double change = alpha * normal.work;
  if (!has_friction_) return std::sqrt(change);
  clip_friction(lambda.data(), pool);
  const Along friction = find_steps<ContactRows::friction>(lambda.data(), pool);
  alpha = search(friction, gather(false, pool), pool);
  go<ContactRows::friction>(alpha, lambda.data(), pool);
  return std::sqrt(larger(change, alpha * friction.work));
}

/// d of the contacts' rows, all from w.
template <int D>
template <ContactRows kRows>
Along LineSearchSweep<D>::find_steps(const double* lambda, ThreadPool* pool) {
  using Range = RowRange<D, kRows>;
  return parallel_reduce(
      pool, static_cast<std::int64_t>(packed_.contacts.size()), kGrain, Along{},
      [&](std::int64_t begin, std::int64_t end) {
        Along all;
        for (std::int64_t k = begin; k < end; ++k) {
          const PackedContact<D>& c = packed_.contacts[to_index(k)];
          const double* z = lambda + k * D;
          double* d = step_.data() + k * D;
          double y[D], next[D];
          packed_velocity<D, kRows>(c, state_of(w_.data(), c.a), state_of(w_.data(), c.b), y);
          std::copy_n(z, D, next);
          prox_rows<D, kRows>(packed_.set, c, y, next);
          Along mine;
          for (int i = Range::first; i < Range::last; ++i) {
            d[i] = next[i] - z[i];
            mine.slope += d[i] * y[i];
          }
          mine.work = largest_work<Range::last - Range::first>(d + Range::first, y + Range::first);
          if constexpr (kRows == ContactRows::normal)
            mine.limit = limit_between(z[0], d[0], 0, std::numeric_limits<double>::infinity());
          else
            mine.limit = std::max(1.0, limit_in_ellipsoid<D - 1>(c.mu, z[0], z + 1, d + 1));
          impulse_[to_index(k)] = world_impulse<D, kRows>(c, d);
          all = join(all, mine);
        }
        return all;
      },
      join);
}

template <int D>
Along LineSearchSweep<D>::find_joint_steps(const double* lambda) {
  Along all;
  for (const std::int32_t row : pairs_.rows()) {
    const PackedRow& packed = packed_.rows[to_index(row)];
    const std::size_t at = packed_.contacts.size() * D + to_index(row);
    const double y = row_velocity(packed, state_of(w_.data(), packed.a), state_of(w_.data(), packed.b)) +
                     packed.softness * lambda[at];
    const double d = std::clamp(lambda[at] - packed.r * y, packed.row.lower, packed.row.upper) - lambda[at];
    step_[at] = d;
    all = join(all, {d * y, limit_between(lambda[at], d, packed.row.lower, packed.row.upper), std::fabs(d * y)});
  }
  return all;
}

/// change_ = M^-1 J^T d by body, in the order of the contacts; returns d^T N d.
template <int D>
double LineSearchSweep<D>::gather(bool with_joints, ThreadPool* pool) {
  const auto contacts = static_cast<std::int32_t>(packed_.contacts.size());
  const auto gather_body = [&](std::int32_t body) {
    Vec3 p, torque;
    for (const std::int32_t k : at_body_[body]) {
      const bool is_b = edges_[to_index(k)].b == body;
      if (k < contacts) {
        const PackedContact<D>& c = packed_.contacts[to_index(k)];
        const WorldImpulse& impulse = impulse_[to_index(k)];
        const double sign = is_b ? 1.0 : -1.0;
        p += sign * impulse.p;
        torque += sign * (cross(is_b ? c.arm_b : c.arm_a, impulse.p) + impulse.torque);
      } else if (with_joints) {
        const auto row = to_index(pairs_.rows()[to_index(k - contacts)]);
        const JointRow& joint = packed_.rows[row].row;
        const double d = step_[to_index(contacts) * D + row];
        p += d * (is_b ? joint.linear_b : joint.linear_a);
        torque += d * (is_b ? joint.angular_b : joint.angular_a);
      }
    }
    const BodyMass& mass = packed_.mass[to_index(body)];
    BodyState& change = change_[to_index(body)];
    change.linear = mass.inverse_mass * p;
    change.angular = mass.inverse_inertia * torque;
    return dot(p, change.linear) + dot(torque, change.angular);
  };
  return parallel_reduce(
      pool, static_cast<std::int64_t>(packed_.mass.size()), kGrain, 0.0,
      [&](std::int64_t begin, std::int64_t end) {
        double energy = 0;
        for (std::int64_t body = begin; body < end; ++body) energy += gather_body(static_cast<std::int32_t>(body));
        return energy;
      },
      [](double a, double b) { return a + b; });
}

/// d^T G d.
template <int D>
double LineSearchSweep<D>::joint_curvature() const {
  double sum = 0;
  for (const std::int32_t row : pairs_.rows()) {
    const double d = step_[packed_.contacts.size() * D + to_index(row)];
    sum += packed_.rows[to_index(row)].softness * d * d;
  }
  return sum;
}

/// alpha, and w <- w + alpha M^-1 J^T d. A step that moves no body (redundant contacts) is taken whole.
template <int D>
double LineSearchSweep<D>::search(const Along& along, double curvature, ThreadPool* pool) {
  const double wanted = curvature > 0 ? std::max(0.0, -along.slope / curvature) : 1.0;
  const double alpha = std::min(wanted, along.limit);
  for_each_index(pool, w_.size(), kGrain, [&](std::size_t i) {
    w_[i].linear += alpha * change_[i].linear;
    w_[i].angular += alpha * change_[i].angular;
  });
  return alpha;
}

template <int D>
template <ContactRows kRows>
void LineSearchSweep<D>::go(double alpha, double* lambda, ThreadPool* pool) {
  using Range = RowRange<D, kRows>;
  for_contacts(pool, [&](std::int64_t k) {
    for (int i = Range::first; i < Range::last; ++i) lambda[k * D + i] += alpha * step_[to_index(k * D + i)];
    if constexpr (kRows == ContactRows::normal) lambda[k * D] = project_half_line(lambda[k * D]);  // round-off at 0
  });
  if constexpr (kRows == ContactRows::friction) return;
  for (const std::int32_t row : pairs_.rows()) {
    const std::size_t at = packed_.contacts.size() * D + to_index(row);
    const JointRow& joint = packed_.rows[to_index(row)].row;
    lambda[at] = std::clamp(lambda[at] + alpha * step_[at], joint.lower, joint.upper);
  }
}

/// Friction into the bounds of the new normal impulses: a step of its own, taken whole.
template <int D>
void LineSearchSweep<D>::clip_friction(double* lambda, ThreadPool* pool) {
  for_contacts(pool, [&](std::int64_t k) {
    const PackedContact<D>& c = packed_.contacts[to_index(k)];
    double before[D], delta[D];
    std::copy_n(lambda + k * D, D, before);
    project_friction<D>(packed_.set, c.axes(), lambda + k * D);
    for (int i = 1; i < D; ++i) delta[i] = lambda[k * D + i] - before[i];
    impulse_[to_index(k)] = world_impulse<D, ContactRows::friction>(c, delta);
  });
  gather(false, pool);
  search({0, 1, 0}, 0, pool);
}

template <int D>
void LineSearchSweep<D>::refresh(std::span<const double> lambda, ThreadPool* pool) {
  std::fill(w_.begin(), w_.end(), BodyState{});
  std::copy(lambda.begin(), lambda.end(), step_.begin());
  for_contacts(pool, [&](std::int64_t k) {
    impulse_[to_index(k)] = world_impulse<D>(packed_.contacts[to_index(k)], lambda.data() + k * D);
  });
  gather(true, pool);
  search({0, 1, 0}, 0, pool);
}

template <int D>
std::size_t LineSearchSweep<D>::bytes() const {
  const auto size_of = [](const auto& array) { return array.size() * sizeof(array[0]); };
  return packed_.bytes() + size_of(edges_) + size_of(at_body_.item) + size_of(at_body_.start) + size_of(step_) +
         size_of(impulse_) + size_of(change_) + size_of(w_) + order().size_bytes();
}

}  // namespace

std::unique_ptr<OrderFreeSweep> make_line_search_sweep(int dim) {
  if (dim == 4) return std::make_unique<LineSearchSweep<4>>();
  return std::make_unique<LineSearchSweep<3>>();
}

}  // namespace cairn
