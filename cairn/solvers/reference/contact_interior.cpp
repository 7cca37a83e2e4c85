// SPDX-License-Identifier: MIT
#include "cairn/solvers/reference/contact_interior.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "cairn/core/index.h"
#include "cairn/solvers/reference/block_lu.h"

namespace cairn {

namespace {

using Vec = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 4, 1>;               // of one contact: no heap
using Mat = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 4, 4>;  // the same
using Vector = Eigen::VectorXd;

constexpr int kMaxCorrections = 6;
constexpr double kOffCentre = 0.3;  // |l o l - mu e| / mu that counts as on the path
constexpr double kDefect = 0.05;    // |E1| / m, the same
constexpr double kLeastStep = 1e-8;
constexpr double kMaxTrouble = 10;  // failed predictions, each step forgetting 5 %: more than one in two steps

double determinant(const Vec& v) {
  const double t = v.tail(v.size() - 1).norm();
  return (v[0] - t) * (v[0] + t);
}

Vec jordan_product(const Vec& a, const Vec& b) {
  Vec c = a[0] * b + b[0] * a;
  c[0] = a.dot(b);
  return c;
}

/// u with l o u = d.
Vec jordan_divide(const Vec& l, const Vec& d) {
  const auto t = l.size() - 1;
  Vec u(d.size());
  u[0] = (l[0] * d[0] - l.tail(t).dot(d.tail(t))) / determinant(l);
  u.tail(t) = (d.tail(t) - u[0] * l.tail(t)) / l[0];
  return u;
}

/// Largest t for which x + t dx is in the cone.
double boundary_step(const Vec& x, const Vec& dx) {
  const auto t = x.size() - 1;
  const double a = dx[0] * dx[0] - dx.tail(t).squaredNorm();
  const double b = x[0] * dx[0] - x.tail(t).dot(dx.tail(t));
  const double discriminant = b * b - a * determinant(x);
  double step = dx[0] < 0 ? -x[0] / dx[0] : 1e30;
  if (a < 0) step = std::min(step, (-b - std::sqrt(std::max(discriminant, 0.0))) / a);
  if (a >= 0 && b < 0 && discriminant >= 0) step = std::min(step, determinant(x) / (-b + std::sqrt(discriminant)));
  return step;
}

/// The Nesterov-Todd scaling of one contact: W x = W^-1 z = l, W = beta (2 v v^T - J), J = diag(1, -1, ...).
struct Scaling {
  Mat w, w_inverse, w_squared;
  Vec l;
};

bool scale_contact(const Vec& x, const Vec& z, Scaling& s) {
  const double det_x = determinant(x), det_z = determinant(z);
  if (!(det_x > 0 && det_z > 0 && x[0] > 0 && z[0] > 0)) return false;
  const auto dim = x.size();
  Mat j = -Mat::Identity(dim, dim);
  j(0, 0) = 1;
  const Vec x_unit = x / std::sqrt(det_x), z_unit = z / std::sqrt(det_z);
  const Vec middle = (z_unit + j * x_unit) / (2 * std::sqrt(0.5 * (1 + x_unit.dot(z_unit))));
  const double beta = std::sqrt(std::sqrt(det_z / det_x));
  Vec v = middle;
  v[0] += 1;
  v /= std::sqrt(2 * v[0]);
  const Vec jv = j * v;
  s.w = beta * (2 * v * v.transpose() - j);
  s.w_inverse = (2 * jv * jv.transpose() - j) / beta;
  s.w_squared = beta * beta * (2 * middle * middle.transpose() - j);
  s.l = s.w * x;
  return true;
}

/// (x, z) with x - z = v and x o z = m^2 e.
void central_pair(const Vec& v, double m, Vec& x, Vec& z) {
  const auto t = v.size() - 1;
  const double length = v.tail(t).norm();
  const Vec u = length > 0 ? Vec(v.tail(t) / length) : Vec(Vec::Unit(t, 0));
  const auto positive = [m](double value) {
    const double root = std::sqrt(value * value + 4 * m * m);
    return value > 0 ? 0.5 * (value + root) : 2 * m * m / (root - value);
  };
  const double low = v[0] - length, high = v[0] + length;
  x.resize(v.size());
  z.resize(v.size());
  x[0] = 0.5 * (positive(low) + positive(high));
  z[0] = 0.5 * (positive(-low) + positive(-high));
  x.tail(t) = 0.5 * (positive(high) - positive(low)) * u;
  z.tail(t) = 0.5 * (positive(-high) - positive(-low)) * u;
}

/// A point (x, z, mu), or a direction in which mu is relative to that of its point.
struct Pair {
  Vector x, z;
  double mu = 0;
};

}  // namespace

struct InteriorPath::Follower {
  const UnitConeProblem& problem;
  PathSettings settings;
  BlockLu lu{BlockLu::Pattern::fixed};
  BlockSparse matrix;
  std::vector<Scaling> scaling;
  std::vector<Mat> slip_slope;  ///< d(z - s e)/dz per contact
  Vector defect, slip_rate;     ///< E1; dE1/dlog mu
  Pair point, tangent;
  double first_mu = 1, reach = 0.95;  ///< reach: last step over the straight way to the boundary
  double trouble = 0;
  int hold = 0, folds = 0;

  Follower(const UnitConeProblem& p, const PathSettings& s);
  int dim() const { return problem.dim(); }
  int contacts() const { return static_cast<int>(problem.contact_count()); }
  Vec part(const Vector& v, int k) const { return v.segment(k * dim(), dim()); }

  bool rescale(const Pair& p);
  double measure(const Pair& p);
  double off_centre(const Pair& p) const;
  bool factorise(const Pair& p, SolveMonitor& monitor);
  bool solve(const Pair& p, bool along, Pair& direction) const;
  double straight_step(const Pair& p, const Pair& direction) const;
  double inner_product(const std::vector<Scaling>& metric, double mu, const Pair& a, const Pair& b) const;
  bool find_tangent(SolveMonitor& monitor);
  Pair predict(double step, bool straight) const;
  int correct(const std::vector<Scaling>& metric, Pair& p, SolveMonitor& monitor);
  bool step(SolveMonitor& monitor);
};

InteriorPath::Follower::Follower(const UnitConeProblem& p, const PathSettings& s)
    : problem(p), settings(s), matrix(p.a) {
  const auto rows = static_cast<Eigen::Index>(p.row_count());
  double m = 0;
  for (const double value : p.q) m = std::max(m, std::fabs(value));
  if (!(m > 0)) m = 1;
  point.x = point.z = Vector::Zero(rows);
  for (int k = 0; k < contacts(); ++k) point.x[k * dim()] = point.z[k * dim()] = m;
  first_mu = point.mu = m * m;
  scaling.resize(to_index(contacts()));
  slip_slope.resize(scaling.size());
}

bool InteriorPath::Follower::rescale(const Pair& p) {
  for (int k = 0; k < contacts(); ++k)
    if (!scale_contact(part(p.x, k), part(p.z, k), scaling[to_index(k)])) return false;
  return true;
}

/// Fills `defect` with E1; returns |E1|.
double InteriorPath::Follower::measure(const Pair& p) {
  defect.resize(p.x.size());
  const auto size = to_index(p.x.size());
  multiply_add(problem.a, {p.x.data(), size}, problem.q, {defect.data(), size});
  defect = p.z - defect - settings.alpha * p.x;
  for (int k = 0; k < contacts(); ++k)
    defect[k * dim()] -= std::sqrt(p.z.segment(k * dim() + 1, dim() - 1).squaredNorm() + p.mu);
  return defect.norm();
}

double InteriorPath::Follower::off_centre(const Pair& p) const {
  double largest = 0;
  for (const Scaling& s : scaling) {
    Vec error = jordan_product(s.l, s.l);
    error[0] -= p.mu;
    largest = std::max(largest, error.norm() / p.mu);
  }
  return largest;
}

/// A + alpha + s' W^2 at a scaled point.
bool InteriorPath::Follower::factorise(const Pair& p, SolveMonitor& monitor) {
  const int d = dim();
  matrix.values = problem.a.values;
  slip_rate = Vector::Zero(p.x.size());
  for (int k = 0; k < contacts(); ++k) {
    const auto index = to_index(k);
    const Vec z = part(p.z, k);
    const double slip = std::sqrt(p.z.segment(k * d + 1, d - 1).squaredNorm() + p.mu);
    Mat& slope = slip_slope[index];
    slope = Mat::Identity(d, d);
    slope.row(0).tail(d - 1) = -z.tail(d - 1).transpose() / slip;
    slip_rate[k * d] = -0.5 * p.mu / slip;
    const Mat block = slope * scaling[index].w_squared;
    double* diagonal = matrix.block(matrix.diagonal[index]);
    for (int i = 0; i < d; ++i)
      for (int j = 0; j < d; ++j) diagonal[i * d + j] += block(i, j) + (i == j ? settings.alpha : 0);
  }
  monitor.count_factorisation();
  return lu.factorise(matrix);
}

/// `along`: the derivative of the path by log mu; otherwise the Newton step to the point of the path at p.mu.
bool InteriorPath::Follower::solve(const Pair& p, bool along, Pair& direction) const {
  const int d = dim();
  direction.x.resize(p.x.size());
  direction.z.resize(p.x.size());
  direction.mu = along ? 1 : 0;
  for (int k = 0; k < contacts(); ++k) {
    const Scaling& s = scaling[to_index(k)];
    Vec target = along ? Vec(Vec::Zero(d)) : Vec(-jordan_product(s.l, s.l));
    target[0] += p.mu;
    direction.z.segment(k * d, d) = s.w * jordan_divide(s.l, target);
    direction.x.segment(k * d, d) = slip_slope[to_index(k)] * part(direction.z, k);
  }
  direction.x += along ? slip_rate : defect;
  const auto size = to_index(p.x.size());
  if (!lu.solve({direction.x.data(), size}, {direction.x.data(), size})) return false;
  for (int k = 0; k < contacts(); ++k)
    direction.z.segment(k * d, d) -= scaling[to_index(k)].w_squared * part(direction.x, k);
  return direction.z.allFinite();
}

double InteriorPath::Follower::straight_step(const Pair& p, const Pair& direction) const {
  double step = 1e30;
  for (int k = 0; k < contacts(); ++k) {
    step = std::min(step, boundary_step(part(p.x, k), part(direction.x, k)));
    step = std::min(step, boundary_step(part(p.z, k), part(direction.z, k)));
  }
  return step;
}

/// Mean over contacts of the relative changes in the scaling of a point, plus those of mu.
double InteriorPath::Follower::inner_product(const std::vector<Scaling>& metric, double mu, const Pair& a,
                                             const Pair& b) const {
  double sum = 0;
  for (int k = 0; k < contacts(); ++k) {
    const Scaling& s = metric[to_index(k)];
    sum += (s.w * part(a.x, k)).dot(s.w * part(b.x, k)) + (s.w_inverse * part(a.z, k)).dot(s.w_inverse * part(b.z, k));
  }
  return sum / (mu * contacts()) + a.mu * b.mu;
}

/// The unit tangent; mu falls where the determinant is positive, as at the start, and rises where it is negative.
bool InteriorPath::Follower::find_tangent(SolveMonitor& monitor) {
  if (!rescale(point) || !factorise(point, monitor) || !solve(point, true, tangent)) return false;
  const double length = std::sqrt(inner_product(scaling, point.mu, tangent, tangent));
  const double factor = -lu.determinant_sign() / length;
  tangent.x *= factor;
  tangent.z *= factor;
  tangent.mu = factor;
  return std::isfinite(length);
}

Pair InteriorPath::Follower::predict(double step, bool straight) const {
  Pair p{point.x + step * tangent.x, point.z + step * tangent.z, point.mu * (1 + step * tangent.mu)};
  if (straight) return p;
  Vec x, z;  // too far for a straight line: along v = x - z, which no boundary limits
  for (int k = 0; k < contacts(); ++k) {
    central_pair(part(p.x, k) - part(p.z, k), std::sqrt(p.mu), x, z);
    p.x.segment(k * dim(), dim()) = x;
    p.z.segment(k * dim(), dim()) = z;
  }
  return p;
}

/// Newton in the plane across the tangent. Number of steps, or -1.
int InteriorPath::Follower::correct(const std::vector<Scaling>& metric, Pair& p, SolveMonitor& monitor) {
  double last_centre = 0, last_defect = 0;
  Pair newton, along;
  for (int iteration = 0; iteration <= kMaxCorrections; ++iteration) {
    if (!(p.mu > 0) || !rescale(p)) return -1;
    const double size = measure(p), centre = off_centre(p);
    if (size <= kDefect * std::sqrt(p.mu) && centre <= kOffCentre) return iteration;
    if (iteration >= 2 && centre > kOffCentre && centre > 0.7 * last_centre && size > 0.7 * last_defect) return -1;
    last_centre = centre;
    last_defect = size;
    if (iteration == kMaxCorrections || !factorise(p, monitor)) return -1;
    if (!solve(p, false, newton) || !solve(p, true, along)) return -1;
    along.mu = p.mu / point.mu;
    double change = -inner_product(metric, point.mu, tangent, newton) / inner_product(metric, point.mu, tangent, along);
    change = std::clamp(std::isfinite(change) ? change : 0, -0.9, 0.9);
    newton.x += change * along.x;
    newton.z += change * along.z;
    const double t = std::min(1.0, 0.9 * straight_step(p, newton));
    p.x += t * newton.x;
    p.z += t * newton.z;
    p.mu *= 1 + t * change;
    if (monitor.record({p.x.data(), to_index(p.x.size())}) || t < 1e-3) return -1;
  }
  return -1;
}

bool InteriorPath::Follower::step(SolveMonitor& monitor) {
  const double last_mu = tangent.mu;
  if (!(point.mu > settings.last_m * settings.last_m * first_mu) || !find_tangent(monitor)) return false;
  if (last_mu * tangent.mu < 0) ++folds;
  const std::vector<Scaling> metric = scaling;
  const double boundary = straight_step(point, tangent), limit = tangent.mu < 0 ? -0.97 / tangent.mu : 1e30;
  double length = std::min(limit, reach * boundary);
  trouble *= 0.95;
  while (length > kLeastStep && trouble < kMaxTrouble) {
    Pair next = predict(length, length <= 0.95 * boundary);
    const int corrections = correct(metric, next, monitor);
    if (monitor.done()) return false;
    if (corrections >= 0) {
      point = std::move(next);
      reach = length / boundary;
      // Longer steps only when the corrector had little to do and none failed lately.
      if (hold > 0) {
        --hold;
      } else {
        reach = std::max(0.95, reach * (corrections <= 2 ? 1.2 : corrections >= 4 ? 0.7 : 1.0));
      }
      return true;
    }
    length *= 0.5;
    hold = 4;
    trouble += 1;
  }
  return false;
}

InteriorPath::InteriorPath(const UnitConeProblem& problem, const PathSettings& settings)
    : follower_(std::make_unique<Follower>(problem, settings)) {}
InteriorPath::~InteriorPath() = default;

bool InteriorPath::start(SolveMonitor& monitor) {
  Follower& f = *follower_;
  Pair newton;
  for (int iteration = 0; iteration < 60; ++iteration) {
    if (!f.rescale(f.point)) return false;
    if (f.measure(f.point) < 0.01 * m() && f.off_centre(f.point) < kOffCentre) return true;
    if (!f.factorise(f.point, monitor) || !f.solve(f.point, false, newton)) return false;
    const double t = std::min(1.0, 0.9 * f.straight_step(f.point, newton));
    f.point.x += t * newton.x;
    f.point.z += t * newton.z;
    if (monitor.record(x())) return false;
  }
  return false;
}

bool InteriorPath::step(SolveMonitor& monitor) { return follower_->step(monitor); }
double InteriorPath::m() const { return std::sqrt(follower_->point.mu); }
double InteriorPath::relative_m() const { return std::sqrt(follower_->point.mu / follower_->first_mu); }
int InteriorPath::folds() const { return follower_->folds; }

std::span<const double> InteriorPath::x() const {
  const Vector& x = follower_->point.x;
  return {x.data(), to_index(x.size())};
}

std::vector<double> InteriorPath::difference() const {
  const Vector v = follower_->point.x - follower_->point.z;
  return {v.data(), v.data() + v.size()};
}

}  // namespace cairn
