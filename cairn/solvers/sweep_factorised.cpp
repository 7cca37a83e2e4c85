// SPDX-License-Identifier: MIT
// Factorised sweep (doc 000, figure 3.6):  y_k = J_k w + b_k,  lambda_k <- prox(lambda_k - R_k y_k),
// w <- w + M^-1 J_k^T dlambda_k.  Linear in contacts, no matrix. The default where there are bodies.
//
// Layout: contacts are packed in schedule order, 184 bytes each, with the frame and the arms instead of rows of J (the
// angular rows are arm x axis: fewer bytes and fewer flops than reading them). Only bodies that can move have a slot.
#include <algorithm>
#include <numeric>

#include "cairn/core/errors.h"
#include "cairn/solvers/prox_step.h"
#include "cairn/solvers/sweep.h"

namespace cairn {

namespace {

constexpr std::int64_t kContactGrain = 1024;
constexpr std::int64_t kBodyGrain = 1024;

/// Velocity change of a body by all impulses, one cache line.
struct alignas(64) BodyState {
  Vec3 linear;
  double unused_a = 0;
  Vec3 angular;
  double unused_b = 0;
};

struct alignas(64) BodyMass {
  double inverse_mass = 0;
  SymMat3 inverse_inertia;
};

template <int D>
struct PackedContact {
  Vec3 normal, tangent1, tangent2;
  Vec3 arm_a, arm_b;
  double bias[D];  ///< b_k: J u_free, gap and restitution; motion of bodies that cannot be moved is in here
  ContactR r;
  double mu[D - 1];
  std::int32_t a = kNoVertex, b = kNoVertex;  ///< slots of the bodies
};

template <int D>
FrictionAxes axes_of(const PackedContact<D>& c) {
  if constexpr (D == 4) return {c.mu[0], c.mu[1], c.mu[2]};
  return {c.mu[0], c.mu[1], 0};
}

/// y_k = J_k w + b_k.
template <int D>
inline void contact_velocity(const PackedContact<D>& c, double radius, const BodyState* w, double* y) {
  Vec3 relative, spin;
  if (c.b != kNoVertex) {
    relative = w[c.b].linear + cross(w[c.b].angular, c.arm_b);
    if constexpr (D == 4) spin = w[c.b].angular;
  }
  if (c.a != kNoVertex) {
    relative -= w[c.a].linear + cross(w[c.a].angular, c.arm_a);
    if constexpr (D == 4) spin -= w[c.a].angular;
  }
  y[0] = dot(c.normal, relative) + c.bias[0];
  y[1] = dot(c.tangent1, relative) + c.bias[1];
  y[2] = dot(c.tangent2, relative) + c.bias[2];
  if constexpr (D == 4) y[3] = radius * dot(c.normal, spin) + c.bias[3];
}

/// A change of impulse in world axes: force part p and torque part about the normal.
struct WorldImpulse {
  Vec3 p, torque;
};

template <int D>
inline WorldImpulse world_impulse(const PackedContact<D>& c, double radius, const double* delta) {
  WorldImpulse impulse;
  impulse.p = delta[0] * c.normal + delta[1] * c.tangent1 + delta[2] * c.tangent2;
  if constexpr (D == 4) impulse.torque = radius * delta[3] * c.normal;
  return impulse;
}

template <int D>
inline void apply_to(const BodyMass& mass, const Vec3& arm, double sign, const WorldImpulse& impulse, BodyState& body) {
  const Vec3 p = sign * impulse.p;
  Vec3 angular = cross(arm, p);
  if constexpr (D == 4) angular += sign * impulse.torque;
  body.linear += mass.inverse_mass * p;
  body.angular += mass.inverse_inertia * angular;
}

/// w <- w + M^-1 J_k^T dlambda_k.
template <int D>
inline void apply(const PackedContact<D>& c, double radius, const double* delta, const BodyMass* mass, BodyState* w) {
  const WorldImpulse impulse = world_impulse<D>(c, radius, delta);
  if (c.a != kNoVertex) apply_to<D>(mass[c.a], c.arm_a, -1.0, impulse, w[c.a]);
  if (c.b != kNoVertex) apply_to<D>(mass[c.b], c.arm_b, 1.0, impulse, w[c.b]);
}

/// A joint row, packed: the effective inverse mass and both sides of M^-1 J^T.
struct PackedRow {
  JointRow row;
  double bias = 0, softness = 0, r = 0;
  std::int32_t a = kNoVertex, b = kNoVertex;
};

template <int D>
class FactorisedSweep : public Sweep {
 public:
  FactorisedSweep(const ContactProblem& problem, const ProxSettings& settings, ThreadPool* pool);

  int dim() const override { return D; }
  const Schedule& schedule() const override { return schedule_; }
  std::span<const std::int32_t> order() const override { return schedule_.order; }
  std::size_t size() const override { return contacts_.size() * D + rows_.size(); }
  double run(std::span<double> lambda, ThreadPool* pool) override;
  void refresh(std::span<const double> lambda, ThreadPool* pool) override;
  void project(std::span<double> lambda, ThreadPool* pool) const override;
  void scale_r(double nu) override;
  void weights(std::span<double> weight) const override;
  void add_velocity_change(std::span<Velocity> velocity) const override;
  std::size_t bytes() const override;

 private:
  void pack_bodies(const ContactProblem& problem);
  void pack_contacts(const ContactProblem& problem, const ProxSettings& settings, ThreadPool* pool);
  void pack_joints(const ContactProblem& problem, const ProxSettings& settings);
  void use_global_r(const ProxSettings& settings, ThreadPool* pool);
  void list_body_contacts();

  double visit(std::int64_t begin, std::int64_t end, double* lambda, BodyState* w) const;
  double run_blocks(const Stage& stage, double* lambda, ThreadPool* pool);
  double run_chunks(const Stage& stage, double* lambda, ThreadPool* pool);
  double run_jacobi(const Stage& stage, double* lambda, ThreadPool* pool);
  double run_split(const Stage& stage, double* lambda, ThreadPool* pool);
  double run_joints(double* lambda);
  void gather(std::int64_t begin, std::int64_t end, ThreadPool* pool);
  void scatter(std::int64_t begin, std::int64_t end, const double* lambda);
  void refresh_unsafe(const Stage& stage, const double* lambda, ThreadPool* pool);
  void apply_row(const PackedRow& packed, double impulse);
  double radius(std::int64_t k) const { return D == 4 ? radius_[static_cast<std::size_t>(k)] : 0.0; }

  Schedule schedule_;
  FrictionSet set_ = FrictionSet::disc;
  std::vector<Edge> edges_;                     ///< per contact of the problem, slots of its bodies
  std::vector<std::int32_t> slot_;              ///< per body of the problem; kNoVertex if it cannot move
  std::vector<BodyState> w_;                    ///< per slot: M^-1 J^T lambda
  std::vector<BodyMass> mass_;                  ///< per slot
  std::vector<PackedContact<D>> contacts_;      ///< in schedule order
  std::vector<double> radius_;                  ///< per contact where D == 4
  std::vector<PackedRow> rows_;                 ///< joint rows
  Lists at_body_;                               ///< per slot, positions of its contacts: for stages that gather
  std::vector<WorldImpulse> delta_;             ///< per contact: scratch of stages that gather
  std::vector<std::vector<BodyState>> copies_;  ///< per chunk: scratch of split stages
  std::vector<double> change_;                  ///< per block: scratch of reductions
};

template <int D>
FactorisedSweep<D>::FactorisedSweep(const ContactProblem& problem, const ProxSettings& settings, ThreadPool* pool) {
  pack_bodies(problem);
  schedule_ = make_schedule(settings, edges_, static_cast<std::int32_t>(mass_.size()));
  pack_contacts(problem, settings, pool);
  pack_joints(problem, settings);
  list_body_contacts();
  if (settings.r_factor == RFactor::global) use_global_r(settings, pool);
  change_.resize(contacts_.size() / kContactGrain + 2);
  for (const Stage& stage : schedule_.stages)
    if (stage.kind == StageKind::split) copies_.resize(static_cast<std::size_t>(stage.chunk_count));
}

/// Slots for the bodies that can move and are touched by a contact or a joint, in the order of the bodies. All others
/// cost nothing (doc 000, section 3.8.2, asks for this "compressed" vector where bodies outnumber contacts).
template <int D>
void FactorisedSweep<D>::pack_bodies(const ContactProblem& problem) {
  std::vector<bool> touched(problem.bodies.size(), false);
  const auto touch = [&](std::int32_t a, std::int32_t b) {
    touched[static_cast<std::size_t>(a)] = touched[static_cast<std::size_t>(b)] = true;
  };
  for (const ContactBlock& c : problem.contacts) touch(c.body_a, c.body_b);
  for (const JointBlock& joint : problem.joints) touch(joint.body_a, joint.body_b);
  slot_.assign(problem.bodies.size(), kNoVertex);
  for (std::size_t i = 0; i < problem.bodies.size(); ++i) {
    const ProblemBody& body = problem.bodies[i];
    if (!touched[i] || !body.is_dynamic()) continue;
    slot_[i] = static_cast<std::int32_t>(mass_.size());
    mass_.push_back({body.inverse_mass, body.inverse_inertia});
  }
  w_.resize(mass_.size());
  edges_.reserve(problem.contacts.size());
  for (const ContactBlock& c : problem.contacts)
    edges_.push_back({slot_[static_cast<std::size_t>(c.body_a)], slot_[static_cast<std::size_t>(c.body_b)]});
}

template <int D>
void FactorisedSweep<D>::pack_contacts(const ContactProblem& problem, const ProxSettings& settings, ThreadPool* pool) {
  const std::size_t count = problem.contacts.size();
  const bool isotropic = std::all_of(problem.contacts.begin(), problem.contacts.end(),
                                     [](const ContactBlock& c) { return c.friction1 == c.friction2; });
  set_ = choose_set(settings.friction, D, isotropic);
  std::vector<std::int32_t> sharing(mass_.size(), 0);  // contacts per body
  for (const Edge& edge : edges_)
    for (const std::int32_t slot : {edge.a, edge.b})
      if (slot != kNoVertex) ++sharing[static_cast<std::size_t>(slot)];
  const auto shared_by = [&](const Edge& edge) {
    std::int32_t most = 1;
    for (const std::int32_t slot : {edge.a, edge.b})
      if (slot != kNoVertex) most = std::max(most, sharing[static_cast<std::size_t>(slot)]);
    return settings.order == SweepOrder::jacobi && settings.r_factor == RFactor::local ? static_cast<double>(most)
                                                                                       : 1.0;
  };
  contacts_.resize(count);
  if (D == 4) radius_.resize(count);
  parallel_for(pool, static_cast<std::int64_t>(count), kContactGrain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const auto k = static_cast<std::size_t>(schedule_.order[static_cast<std::size_t>(i)]);
      const ContactBlock& from = problem.contacts[k];
      PackedContact<D>& to = contacts_[static_cast<std::size_t>(i)];
      to.normal = from.normal, to.tangent1 = from.tangent1, to.tangent2 = from.tangent2;
      to.arm_a = from.arm_a, to.arm_b = from.arm_b;
      to.a = edges_[k].a, to.b = edges_[k].b;
      std::array<double, 4> bias =
          cairn::contact_velocity(from, free_velocity(problem, from.body_a), free_velocity(problem, from.body_b));
      bias[0] += contact_bias(problem, from);
      std::copy_n(bias.begin(), D, to.bias);
      const FrictionAxes mu = friction_axes(from);
      const double axes[3] = {mu.s, mu.t, mu.spin};
      std::copy_n(axes, D - 1, to.mu);
      if constexpr (D == 4) radius_[static_cast<std::size_t>(i)] = from.spin_radius;
      double block[D * D];
      contact_diagonal_block(problem, from, D, block);
      to.r = local_r<D>(block, settings.relaxation, shared_by(edges_[k]));
    }
  });
}

template <int D>
void FactorisedSweep<D>::pack_joints(const ContactProblem& problem, const ProxSettings& settings) {
  rows_.resize(problem.joint_rows.size());
  for (const JointBlock& joint : problem.joints) {
    for (std::int32_t k = joint.first_row; k < joint.first_row + joint.row_count; ++k) {
      PackedRow& packed = rows_[static_cast<std::size_t>(k)];
      packed.row = problem.joint_rows[static_cast<std::size_t>(k)];
      packed.a = slot_[static_cast<std::size_t>(joint.body_a)];
      packed.b = slot_[static_cast<std::size_t>(joint.body_b)];
      packed.softness = joint_softness(problem, packed.row);
      packed.bias = joint_bias(problem, packed.row) + joint_velocity(packed.row, free_velocity(problem, joint.body_a),
                                                                     free_velocity(problem, joint.body_b));
      Velocity a, b;
      apply_joint_impulse(problem, joint, packed.row, 1.0, a, b);
      const double stiffness = joint_velocity(packed.row, a, b) + packed.softness;
      packed.r = stiffness > 0 ? settings.relaxation / stiffness : 0.0;
    }
  }
}

/// Contacts of each body, where a stage gathers.
template <int D>
void FactorisedSweep<D>::list_body_contacts() {
  const bool gathers = std::any_of(schedule_.stages.begin(), schedule_.stages.end(), [](const Stage& stage) {
    return stage.kind == StageKind::jacobi || stage.kind == StageKind::split;
  });
  if (!gathers) return;
  delta_.resize(contacts_.size());
  std::vector<Edge> by_position(contacts_.size());
  for (std::size_t i = 0; i < contacts_.size(); ++i) by_position[i] = {contacts_[i].a, contacts_[i].b};
  at_body_ = edges_by_vertex(by_position, static_cast<std::int32_t>(mass_.size()));
}

/// r = 1 / (largest eigenvalue of A) by power iteration on w = M^-1 J^T x (doc 000, (3.24); the smallest eigenvalue is
/// 0 for redundant contacts).
template <int D>
void FactorisedSweep<D>::use_global_r(const ProxSettings& settings, ThreadPool* pool) {
  constexpr int kSteps = 20;
  std::vector<double> x(size(), 0.0);
  for (std::size_t i = 0; i < contacts_.size() * D; ++i) x[i] = 1.0 + 0.1 * static_cast<double>(i % 7);
  double largest = 0;
  for (int step = 0; step < kSteps; ++step) {
    refresh(x, pool);
    double norm2 = 0, length2 = 0;
    for (std::size_t i = 0; i < contacts_.size(); ++i) {
      double y[D];
      contact_velocity<D>(contacts_[i], radius(static_cast<std::int64_t>(i)), w_.data(), y);
      for (int j = 0; j < D; ++j) {
        y[j] -= contacts_[i].bias[j];
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
  for (PackedContact<D>& c : contacts_) c.r = {settings.relaxation / largest, settings.relaxation / largest};
}

/// Gauss-Seidel over positions [begin, end) on the state w: the inner loop of everything.
template <int D>
double FactorisedSweep<D>::visit(std::int64_t begin, std::int64_t end, double* lambda, BodyState* w) const {
  double change = 0;
  for (std::int64_t k = begin; k < end; ++k) {
    const PackedContact<D>& c = contacts_[static_cast<std::size_t>(k)];
    double y[D], z[D], delta[D];
    contact_velocity<D>(c, radius(k), w, y);
    std::copy_n(lambda + k * D, D, z);
    prox_step<D>(set_, axes_of<D>(c), c.r, y, z);
    for (int i = 0; i < D; ++i) delta[i] = z[i] - lambda[k * D + i];
    std::copy_n(z, D, lambda + k * D);
    apply<D>(c, radius(k), delta, mass_.data(), w);
    change = larger(change, largest_work<D>(delta, y));
  }
  return change;
}

template <int D>
double FactorisedSweep<D>::run(std::span<double> lambda, ThreadPool* pool) {
  double change = run_joints(lambda.data() + contacts_.size() * D);
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
          const PackedContact<D>& c = contacts_[static_cast<std::size_t>(k)];
          double y[D], z[D], delta[D];
          contact_velocity<D>(c, radius(k), w_.data(), y);
          std::copy_n(lambda + k * D, D, z);
          prox_step<D>(set_, axes_of<D>(c), c.r, y, z);
          for (int i = 0; i < D; ++i) delta[i] = z[i] - lambda[k * D + i];
          std::copy_n(z, D, lambda + k * D);
          delta_[static_cast<std::size_t>(k)] = world_impulse<D>(c, radius(k), delta);
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
  parallel_for(pool, static_cast<std::int64_t>(mass_.size()), kBodyGrain, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t body = first; body < last; ++body) {
      Vec3 p, torque;
      for (const std::int32_t k : at_body_[body]) {
        if (k < begin || k >= end) continue;
        const PackedContact<D>& c = contacts_[static_cast<std::size_t>(k)];
        const WorldImpulse& impulse = delta_[static_cast<std::size_t>(k)];
        const bool is_b = c.b == body;
        const double sign = is_b ? 1.0 : -1.0;
        p += sign * impulse.p;
        torque += sign * (cross(is_b ? c.arm_b : c.arm_a, impulse.p) + impulse.torque);
      }
      BodyState& w = w_[static_cast<std::size_t>(body)];
      const BodyMass& mass = mass_[static_cast<std::size_t>(body)];
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

/// Joint rows, one after the other, before the contacts: lambda <- clamp(lambda - r (y + G lambda)).
template <int D>
double FactorisedSweep<D>::run_joints(double* lambda) {
  static const BodyState kAtRest;
  double change = 0;
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    const PackedRow& packed = rows_[k];
    const JointRow& row = packed.row;
    const BodyState& a = packed.a != kNoVertex ? w_[static_cast<std::size_t>(packed.a)] : kAtRest;
    const BodyState& b = packed.b != kNoVertex ? w_[static_cast<std::size_t>(packed.b)] : kAtRest;
    const double y =
        joint_velocity(row, {a.linear, a.angular}, {b.linear, b.angular}) + packed.bias + packed.softness * lambda[k];
    const double next = std::clamp(lambda[k] - packed.r * y, row.lower, row.upper);
    const double delta = next - lambda[k];
    lambda[k] = next;
    change = larger(change, std::fabs(delta * y));
    apply_row(packed, delta);
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
  for (std::size_t k = 0; k < rows_.size(); ++k) apply_row(rows_[k], lambda[contacts_.size() * D + k]);
}

/// Adds the impulses at positions [begin, end) to w, one after the other.
template <int D>
void FactorisedSweep<D>::scatter(std::int64_t begin, std::int64_t end, const double* lambda) {
  for (std::int64_t k = begin; k < end; ++k)
    apply<D>(contacts_[static_cast<std::size_t>(k)], radius(k), lambda + k * D, mass_.data(), w_.data());
}

/// Contacts of such a stage share bodies: the bodies gather.
template <int D>
void FactorisedSweep<D>::refresh_unsafe(const Stage& stage, const double* lambda, ThreadPool* pool) {
  parallel_for(pool, stage.end - stage.begin, kContactGrain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t k = stage.begin + begin; k < stage.begin + end; ++k)
      delta_[static_cast<std::size_t>(k)] =
          world_impulse<D>(contacts_[static_cast<std::size_t>(k)], radius(k), lambda + k * D);
  });
  gather(stage.begin, stage.end, pool);
}

/// w <- w + M^-1 J^T of one joint row.
template <int D>
void FactorisedSweep<D>::apply_row(const PackedRow& packed, double impulse) {
  const auto to_body = [&](std::int32_t slot, const Vec3& linear, const Vec3& angular) {
    if (slot == kNoVertex) return;
    BodyState& w = w_[static_cast<std::size_t>(slot)];
    w.linear += mass_[static_cast<std::size_t>(slot)].inverse_mass * impulse * linear;
    w.angular += mass_[static_cast<std::size_t>(slot)].inverse_inertia * (impulse * angular);
  };
  to_body(packed.a, packed.row.linear_a, packed.row.angular_a);
  to_body(packed.b, packed.row.linear_b, packed.row.angular_b);
}

template <int D>
void FactorisedSweep<D>::project(std::span<double> lambda, ThreadPool* pool) const {
  parallel_for(pool, static_cast<std::int64_t>(contacts_.size()), kContactGrain,
               [&](std::int64_t begin, std::int64_t end) {
                 for (std::int64_t k = begin; k < end; ++k)
                   project_contact<D>(set_, axes_of<D>(contacts_[static_cast<std::size_t>(k)]), lambda.data() + k * D);
               });
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    double& value = lambda[contacts_.size() * D + k];
    value = std::clamp(value, rows_[k].row.lower, rows_[k].row.upper);
  }
}

template <int D>
void FactorisedSweep<D>::scale_r(double nu) {
  for (PackedContact<D>& c : contacts_) c.r = {nu * c.r.normal, nu * c.r.friction};
  for (PackedRow& row : rows_) row.r *= nu;
}

template <int D>
void FactorisedSweep<D>::weights(std::span<double> weight) const {
  const auto inverse = [](double r) { return r > 0 ? 1 / r : 0.0; };
  for (std::size_t k = 0; k < contacts_.size(); ++k) {
    weight[k * D] = inverse(contacts_[k].r.normal);
    for (int i = 1; i < D; ++i) weight[k * D + static_cast<std::size_t>(i)] = inverse(contacts_[k].r.friction);
  }
  for (std::size_t k = 0; k < rows_.size(); ++k) weight[contacts_.size() * D + k] = inverse(rows_[k].r);
}

template <int D>
void FactorisedSweep<D>::add_velocity_change(std::span<Velocity> velocity) const {
  for (std::size_t i = 0; i < velocity.size(); ++i) {
    if (slot_[i] == kNoVertex) continue;
    velocity[i].linear += w_[static_cast<std::size_t>(slot_[i])].linear;
    velocity[i].angular += w_[static_cast<std::size_t>(slot_[i])].angular;
  }
}

template <int D>
std::size_t FactorisedSweep<D>::bytes() const {
  std::size_t total = contacts_.capacity() * sizeof(PackedContact<D>) + radius_.capacity() * sizeof(double) +
                      w_.capacity() * sizeof(BodyState) + mass_.capacity() * sizeof(BodyMass) +
                      edges_.capacity() * sizeof(Edge) + slot_.capacity() * sizeof(std::int32_t) +
                      schedule_.order.capacity() * sizeof(std::int32_t) + rows_.capacity() * sizeof(PackedRow) +
                      at_body_.item.capacity() * sizeof(std::int32_t) +
                      at_body_.start.capacity() * sizeof(std::int64_t) + delta_.capacity() * sizeof(WorldImpulse);
  for (const auto& copy : copies_) total += copy.capacity() * sizeof(BodyState);
  return total;
}

}  // namespace

std::unique_ptr<Sweep> make_factorised_sweep(const ContactProblem& problem, const ProxSettings& settings,
                                             ThreadPool* pool) {
  if (contact_rows(problem) == 4) return std::make_unique<FactorisedSweep<4>>(problem, settings, pool);
  return std::make_unique<FactorisedSweep<3>>(problem, settings, pool);
}

}  // namespace cairn
