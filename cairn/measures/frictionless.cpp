// SPDX-License-Identifier: MIT
#include "cairn/measures/frictionless.h"

#include <Eigen/Eigenvalues>
#include <Eigen/OrderingMethods>
#include <Eigen/SparseCholesky>
#include <algorithm>
#include <cmath>

#include "cairn/core/errors.h"
#include "cairn/core/index.h"

namespace cairn {

namespace {

using Vector = Eigen::VectorXd;
using Sparse = Eigen::SparseMatrix<double>;
using Matrix6 = Eigen::Matrix<double, 6, 6>;

constexpr double kToBoundary = 0.995;  // of the way to where an impulse or a slack would be zero
constexpr double kNear = 1e-10;        // of lambda s at the start: then the multipliers take over
constexpr int kPatience = 40;          // steps of the multipliers before they become stiffer
constexpr double kStill = 1e-13;       // of the velocity, from one step to the next
constexpr double kRoundOff = 1e-12;    // of the fastest approach: violation at the end

/// F with F F^T = M^-1 of one body; a direction of no mass has a zero column.
Matrix6 inverse_mass_root(const ProblemBody& body) {
  Matrix6 f = Matrix6::Zero();
  f.diagonal().head<3>().setConstant(std::sqrt(body.inverse_mass));
  const SymMat3& i = body.inverse_inertia;
  Eigen::Matrix3d inertia;
  inertia << i.xx, i.xy, i.xz, i.xy, i.yy, i.yz, i.xz, i.yz, i.zz;
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> eigen(inertia);
  f.bottomRightCorner<3, 3>() = eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(0).cwiseSqrt().asDiagonal();
  return f;
}

struct BarrierProblem {
  std::vector<std::int32_t> place;  ///< of a body among those that move, -1
  std::vector<Matrix6> root;        ///< F, of those
  Sparse g;
  Vector q;
};

BarrierProblem pose_problem(const ContactProblem& problem) {
  BarrierProblem out;
  for (const ProblemBody& body : problem.bodies) {
    out.place.push_back(body.is_dynamic() ? static_cast<std::int32_t>(out.root.size()) : -1);
    if (body.is_dynamic()) out.root.push_back(inverse_mass_root(body));
  }
  const auto rows = static_cast<Eigen::Index>(problem.contacts.size());
  std::vector<Eigen::Triplet<double>> entries;
  out.q.resize(rows);
  for (Eigen::Index k = 0; k < rows; ++k) {
    const ContactBlock& c = problem.contacts[to_index(k)];
    const auto add = [&](std::int32_t body, double sign, const Vec3& arm) {
      const std::int32_t at = out.place[to_index(body)];
      if (at < 0) return;
      const Vec3 turn = cross(arm, c.normal);
      Eigen::Matrix<double, 1, 6> row;
      row << c.normal.x, c.normal.y, c.normal.z, turn.x, turn.y, turn.z;
      row *= sign * out.root[to_index(at)];
      for (int j = 0; j < 6; ++j) entries.emplace_back(static_cast<int>(k), 6 * at + j, row[j]);
    };
    add(c.body_a, -1, c.arm_a);
    add(c.body_b, 1, c.arm_b);
    const Velocity a = free_velocity(problem, c.body_a), b = free_velocity(problem, c.body_b);
    out.q[k] = contact_velocity(c, a, b)[0] + contact_bias(problem, c);
  }
  out.g.resize(rows, static_cast<Eigen::Index>(6 * out.root.size()));
  out.g.setFromTriplets(entries.begin(), entries.end());
  return out;
}

/// The largest step in [0, 1] along which x stays positive.
double step_to_boundary(const Vector& x, const Vector& dx) {
  double step = 1;
  for (Eigen::Index i = 0; i < x.size(); ++i)
    if (dx[i] < 0) step = std::min(step, -x[i] / dx[i]);
  return step;
}

/// 1 + G^T diag(weight) G, factored.
class WeightedSystem {
 public:
  explicit WeightedSystem(const Sparse& g) : g_(g), transposed_(g.transpose()), one_(g.cols(), g.cols()) {
    one_.setIdentity();
  }
  bool factor(const Vector& weight) {
    const Sparse matrix = one_ + transposed_ * weight.asDiagonal() * g_;
    if (!analysed_) cholesky_.analyzePattern(matrix), analysed_ = true;
    cholesky_.factorize(matrix);
    return cholesky_.info() == Eigen::Success;
  }
  Vector solve(const Vector& right) const { return cholesky_.solve(right); }
  const Sparse& g() const { return g_; }
  const Sparse& transposed() const { return transposed_; }

 private:
  const Sparse& g_;
  Sparse transposed_, one_;
  Eigen::SimplicialLLT<Sparse> cholesky_;
  bool analysed_ = false;
};

/// From nothing to where round-off in lambda / s stops it, C8 about 1e-7.
class InteriorPoint {
 public:
  InteriorPoint(WeightedSystem& system, const Vector& q) : system_(system), q_(q) {
    const double scale = std::max(1e-12, q_.lpNorm<Eigen::Infinity>());
    z_ = Vector::Zero(system.g().cols());
    slack_ = q_.cwiseMax(0).array() + scale;
    impulse_ = Vector::Constant(q_.size(), scale);
  }

  /// Mean of lambda s.
  double mu() const { return impulse_.dot(slack_) / static_cast<double>(q_.size()); }
  const Vector& impulse() const { return impulse_; }

  bool advance() {
    const Vector dual = system_.transposed() * impulse_ - z_, primal = system_.g() * z_ + q_ - slack_;
    const Vector weight = impulse_.cwiseQuotient(slack_);
    if (!system_.factor(weight)) return false;
    direction(dual, primal, weight, impulse_.cwiseProduct(slack_));  // predictor: straight to zero
    const double reach = room(), before = mu();
    const Vector impulse = impulse_ + reach * d_impulse_, slack = slack_ + reach * d_slack_;
    const double left = impulse.dot(slack) / static_cast<double>(q_.size()) / before;
    const Vector corrected = impulse_.cwiseProduct(slack_) + d_impulse_.cwiseProduct(d_slack_) -
                             Vector::Constant(q_.size(), left * left * left * before);
    direction(dual, primal, weight, corrected);
    const double t = kToBoundary * room();
    if (!std::isfinite(t) || !d_z_.allFinite()) return false;
    z_ += t * d_z_;
    slack_ += t * d_slack_;
    impulse_ += t * d_impulse_;
    return true;
  }

 private:
  double room() const { return std::min(step_to_boundary(slack_, d_slack_), step_to_boundary(impulse_, d_impulse_)); }

  /// dz, ds and dlambda that linearise z = G^T lambda, s = G z + q and lambda s = lambda s - product.
  void direction(const Vector& dual, const Vector& primal, const Vector& weight, const Vector& product) {
    const Vector pushed = product.cwiseQuotient(slack_) + weight.cwiseProduct(primal);
    d_z_ = system_.solve(dual - system_.transposed() * pushed);
    const Vector moved = system_.g() * d_z_;
    d_slack_ = moved + primal;
    d_impulse_ = -pushed - weight.cwiseProduct(moved);
  }

  WeightedSystem& system_;
  const Vector& q_;
  Vector z_, slack_, impulse_, d_z_, d_slack_, d_impulse_;
};

/// Method of multipliers with Newton steps inside (Rockafellar 1976), from impulses that are nearly right to round-off:
///
///   z = argmin 1/2 |z|^2 + sum w^2 / (2 rho),   w = [lambda - rho (G z + q)]_+,   then lambda <- w
class Multipliers {
 public:
  Multipliers(WeightedSystem& system, const Vector& q, Vector impulse)
      : system_(system), q_(q), impulse_(std::move(impulse)), z_(system.transposed() * impulse_) {
    rho_.resize(q.size());
    for (Eigen::Index k = 0; k < q.size(); ++k)
      rho_[k] = kStiffness / std::max(system.transposed().col(k).squaredNorm(), 1e-300);
  }

  /// One outer step; the fastest violation it met.
  double advance() {
    Vector w = multipliers(z_), gradient = z_ - system_.transposed() * w;
    for (int k = 0; k < kMostNewton; ++k) {
      const Vector weight = (w.array() > 0).select(rho_, 0.0);
      if (weight.size() != weight_.size() || weight != weight_) {
        if (!system_.factor(weight)) return INFINITY;
        weight_ = weight;
      }
      const double before = gradient.norm();
      search(system_.solve(-gradient), before);
      w = multipliers(z_), gradient = z_ - system_.transposed() * w;
      if (gradient.norm() >= 0.5 * before && before <= kFlat * z_.norm()) break;
    }
    const double change = (w - impulse_).cwiseQuotient(rho_).lpNorm<Eigen::Infinity>();
    impulse_ = w;
    return change;
  }

  /// For the smallest eigenvalues, whose impulses come slowly; from the start, Newton's steps may go round.
  void stiffen() { rho_ *= 100; }

  const Vector& impulse() const { return impulse_; }
  /// Better than G^T lambda: round-off of slacks enters the impulses times rho.
  const Vector& z() const { return z_; }

 private:
  static constexpr double kStiffness = 1e5;  // rho times the diagonal of G G^T
  static constexpr double kFlat = 1e-9;      // of |z|: the gradient may stop falling below it
  static constexpr int kMostNewton = 50;

  Vector multipliers(const Vector& z) const { return (impulse_ - rho_.cwiseProduct(system_.g() * z + q_)).cwiseMax(0); }
  double value(const Vector& z) const {
    const Vector w = multipliers(z);
    return 0.5 * (z.squaredNorm() + w.cwiseProduct(w).cwiseQuotient(rho_).sum());
  }
  /// A whole step where the gradient falls, where round-off hides the value; else halved until the value falls.
  void search(const Vector& step, double gradient) {
    const Vector whole = z_ + step;
    double t = 1;
    if ((whole - system_.transposed() * multipliers(whole)).norm() >= gradient)
      for (const double start = value(z_); t > 1e-3 && value(z_ + t * step) > start;) t *= 0.5;
    z_ += t * step;
  }

  WeightedSystem& system_;
  const Vector& q_;
  Vector impulse_, z_, weight_, rho_;
};

void check(const ContactProblem& problem) {
  validate(problem);
  require(problem.joints.empty(), "solve_frictionless takes no joints: leave them out");
  for (const ContactBlock& c : problem.contacts)
    require(c.friction1 == 0 && c.friction2 == 0,
            "solve_frictionless takes no friction: set friction1 and friction2 to 0");
}

}  // namespace

FrictionlessResult solve_frictionless(const ContactProblem& problem, int max_iterations) {
  check(problem);
  FrictionlessResult result;
  for (std::size_t i = 0; i < problem.bodies.size(); ++i)
    result.velocity.push_back(free_velocity(problem, static_cast<std::int32_t>(i)));
  result.impulse.assign(problem.contacts.size(), 0.0);
  const BarrierProblem posed = pose_problem(problem);
  result.converged = true;
  if (posed.q.size() == 0 || posed.root.empty()) return result;

  WeightedSystem system(posed.g);
  InteriorPoint inner(system, posed.q);
  const double start = inner.mu();
  while (result.iterations < max_iterations && inner.mu() > kNear * start && inner.advance()) ++result.iterations;
  Multipliers outer(system, posed.q, inner.impulse());
  const double enough = kRoundOff * posed.q.lpNorm<Eigen::Infinity>();
  result.converged = false;
  for (int k = 1; !result.converged && result.iterations++ < max_iterations; ++k) {
    const Vector before = outer.z();
    const bool met = outer.advance() <= enough;
    // Where contacts contradict each other by a little, impulses grow for ever and the velocity stands.
    result.converged = met || (outer.z() - before).norm() <= kStill * before.norm();
    if (k == kPatience) outer.stiffen();
  }
  const Vector &z = outer.z(), slack = posed.g * z + posed.q;
  result.gap = 2 * outer.impulse().dot(slack.cwiseAbs()) / std::max(1e-300, z.squaredNorm());
  result.worst_slack = std::min(0.0, slack.minCoeff());
  for (Eigen::Index k = 0; k < slack.size(); ++k) result.impulse[to_index(k)] = outer.impulse()[k];
  for (std::size_t i = 0; i < problem.bodies.size(); ++i) {
    if (posed.place[i] < 0) continue;
    const auto at = to_index(posed.place[i]);
    const Eigen::Matrix<double, 6, 1> du = posed.root[at] * z.segment<6>(static_cast<Eigen::Index>(6 * at));
    result.velocity[i].linear += Vec3{du[0], du[1], du[2]};
    result.velocity[i].angular += Vec3{du[3], du[4], du[5]};
  }
  return result;
}

}  // namespace cairn
