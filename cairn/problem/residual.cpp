// SPDX-License-Identifier: MIT
// Both forms of problem are brought to the same list of contacts (lambda, y, friction, K_n, K_t, trace); everything
// that is measured per contact is then written once.
#include "cairn/problem/residual.h"

#include <algorithm>
#include <cmath>

#include "cairn/core/errors.h"
#include "cairn/core/index.h"
#include "cairn/math/small_eigen.h"
#include "cairn/problem/gauge.h"

namespace cairn {

namespace {

using Gauges = std::vector<Gauge>;

void set_scales(const double* block, int dim, Gauge& gauge) {
  gauge.k_n = block[0];
  gauge.k_t = largest_eigenvalue(block + dim + 1, dim, dim - 1);
  for (int i = 0; i < dim; ++i) gauge.trace += block[i * dim + i];
}

void measure_natural_map(const Gauges& gauges, int dim, Measures& m) {
  double unit = 0, scaled = 0, q2 = 0, impulse2 = 0;
  for (const Gauge& g : gauges) {
    unit += natural_map2(g, dim, 1.0);
    scaled += natural_map2(g, dim, g.trace > 0 ? dim / g.trace : 1.0);
    for (int i = 0; i < dim; ++i) {
      q2 += g.free[i] * g.free[i];
      impulse2 += g.impulse[i] * g.impulse[i];
    }
  }
  m.natural_map = divide(std::sqrt(unit), std::sqrt(q2));
  m.unit_free = divide(std::sqrt(scaled), std::sqrt(impulse2));
}

/// C1 of one contact: r_n = min(K_n lambda_n, y_n), r_t = K_t (lambda_t - P(lambda_t - y_t / K_t)).
void natural_rows(const Gauge& g, int dim, std::array<double, 4>& r) {
  r[0] = std::min(g.k_n * g.impulse[0], g.velocity[0]);
  std::array<double, 4> z = g.impulse;
  z[0] = project_half_line(g.impulse[0]);
  for (int i = 1; i < dim; ++i) z[i] = g.k_t > 0 ? g.impulse[i] - g.velocity[i] / g.k_t : g.impulse[i];
  if (dim == 2) project_friction<2>(FrictionSet::ellipse, g.friction, z.data());
  if (dim == 3) project_friction<3>(FrictionSet::ellipse, g.friction, z.data());
  if (dim == 4) project_friction<4>(FrictionSet::ellipse, g.friction, z.data());
  for (int i = 1; i < dim; ++i) r[i] = g.k_t * (g.impulse[i] - z[i]);
}

/// C6: how far friction is outside its bound, and how far from maximal dissipation.
void measure_friction(const Gauge& g, int dim, double& excess, double& gap) {
  const double n = project_half_line(g.impulse[0]);
  const std::array<double, 3> axes{g.friction.s * n, g.friction.t * n, g.friction.spin * n};
  std::array<double, 3> point{};
  double power = 0, support2 = 0, outside2 = 0;
  for (int i = 1; i < dim; ++i) {
    point[i - 1] = g.impulse[i];
    power += g.impulse[i] * g.velocity[i];
    support2 += axes[i - 1] * g.velocity[i] * axes[i - 1] * g.velocity[i];
  }
  const std::array<double, 3> given = point;
  project_ellipsoid<3>(axes, point);
  for (int i = 0; i < 3; ++i) outside2 += (given[i] - point[i]) * (given[i] - point[i]);
  excess = std::sqrt(outside2);
  gap = power + std::sqrt(support2);  // maximal dissipation: power = -(support function of the set)
}

/// Squares of the natural map over rows.
struct RowSum {
  double sum2 = 0;
  std::size_t rows = 0;

  double rms() const { return std::sqrt(sum2 / static_cast<double>(std::max<std::size_t>(rows, 1))); }
};

void measure_contacts(const Gauges& gauges, int dim, Measures& m, RowSum& sum) {
  double c2 = 0, c5 = 0;
  for (const Gauge& g : gauges) {
    std::array<double, 4> r{};
    natural_rows(g, dim, r);
    for (int i = 0; i < dim; ++i) {
      sum.sum2 += r[i] * r[i];
      m.c1_max = std::max(m.c1_max, std::fabs(r[i]) / m.v_ref);
    }
    c2 += std::max(0.0, -g.velocity[0]);
    c5 += std::fabs(g.impulse[0] * g.velocity[0]);
    double excess = 0, gap = 0;
    measure_friction(g, dim, excess, gap);
    m.c6_cone_excess = std::max(m.c6_cone_excess, excess / (m.mass_ref * m.v_ref));
    m.c6_dissipation_gap = std::max(m.c6_dissipation_gap, gap / (m.mass_ref * m.v_ref * m.v_ref));
  }
  sum.rows += gauges.size() * to_index(dim);
  const double count = gauges.empty() ? 1.0 : static_cast<double>(gauges.size());
  m.c2_violation = c2 / count / m.v_ref;
  m.c5_complementarity = c5 / count / (m.mass_ref * m.v_ref * m.v_ref);
}

Gauges gauges_of(const ContactProblem& problem, const ContactSolution& solution, const std::vector<Velocity>& u,
                 int dim) {
  Gauges gauges(problem.contacts.size());
  for (std::size_t k = 0; k < gauges.size(); ++k) {
    const ContactBlock& c = problem.contacts[k];
    Gauge& g = gauges[k];
    const double bias = contact_bias(problem, c);
    g.impulse = solution.contact_impulse[k];
    g.velocity = contact_velocity(c, u[to_index(c.body_a)], u[to_index(c.body_b)]);
    g.free = contact_velocity(c, free_velocity(problem, c.body_a), free_velocity(problem, c.body_b));
    g.velocity[0] += bias;
    g.free[0] += bias;
    g.friction = friction_axes(c);
    double block[16];
    contact_diagonal_block(problem, c, dim, block);
    set_scales(block, dim, g);
  }
  return gauges;
}

void measure_joints(const ContactProblem& problem, const ContactSolution& solution, const std::vector<Velocity>& u,
                    Measures& m, RowSum& sum) {
  for (const JointBlock& joint : problem.joints) {
    for (std::int32_t k = joint.first_row; k < joint.first_row + joint.row_count; ++k) {
      const JointRow& row = problem.joint_rows[to_index(k)];
      const double impulse = solution.joint_impulse[to_index(k)];
      const double softness = joint_softness(problem, row);
      const double y = joint_velocity(row, u[to_index(joint.body_a)], u[to_index(joint.body_b)]) +
                       joint_bias(problem, row) + softness * impulse;
      Velocity a, b;
      apply_joint_impulse(problem, joint, row, 1.0, a, b);
      const double stiffness = joint_velocity(row, a, b) + softness;
      const double r =
          stiffness > 0 ? stiffness * (impulse - std::clamp(impulse - y / stiffness, row.lower, row.upper)) : y;
      sum.sum2 += r * r;
      m.c1_max = std::max(m.c1_max, std::fabs(r) / m.v_ref);
      m.c3_joint_velocity = std::max(m.c3_joint_velocity, std::fabs(r) / m.v_ref);
      m.c4_joint_error_max = std::max(m.c4_joint_error_max, std::fabs(row.error));
      ++sum.rows;
    }
  }
}

double kinetic_norm2(const ProblemBody& body, const Vec3& linear, const Vec3& angular) {
  double sum = body.inverse_mass > 0 ? dot(linear, linear) / body.inverse_mass : 0.0;
  if (determinant(body.inverse_inertia) > 0) sum += dot(angular, inverse(body.inverse_inertia) * angular);
  return sum;
}

/// |x - reference|_M / |u_free - reference|_M.
double kinetic_error(const ContactProblem& problem, const std::vector<Velocity>& x,
                     const std::vector<Velocity>& reference) {
  double error = 0, scale = 0;
  for (std::size_t i = 0; i < problem.bodies.size(); ++i) {
    const ProblemBody& body = problem.bodies[i];
    if (!body.is_dynamic()) continue;
    const Velocity free = free_velocity(problem, static_cast<std::int32_t>(i));
    error += kinetic_norm2(body, x[i].linear - reference[i].linear, x[i].angular - reference[i].angular);
    scale += kinetic_norm2(body, free.linear - reference[i].linear, free.angular - reference[i].angular);
  }
  return divide(std::sqrt(error), std::sqrt(scale));
}

void set_references(const ContactProblem& problem, const Gauges& gauges, Measures& m) {
  double gravity = 0, mass = 0, fastest = 0;
  std::size_t dynamic = 0;
  for (const ProblemBody& body : problem.bodies) {
    if (!(body.inverse_mass > 0)) continue;
    gravity = std::max(gravity, norm(body.acceleration.linear));
    mass += 1 / body.inverse_mass;
    ++dynamic;
  }
  for (const Gauge& g : gauges) fastest = std::max(fastest, std::fabs(g.free[0]));
  m.v_ref = gravity > 0 ? gravity * problem.dt : (fastest > 0 ? fastest : 1.0);
  m.mass_ref = dynamic > 0 ? mass / static_cast<double>(dynamic) : 1.0;
}

void measure_positions(const ContactProblem& problem, Measures& m) {
  for (const ContactBlock& c : problem.contacts) {
    const double overlap = std::max(0.0, -c.gap - problem.stabilisation.slop);
    m.c4_overlap_max = std::max(m.c4_overlap_max, overlap);
    m.c4_overlap_mean += overlap / static_cast<double>(problem.contacts.size());
  }
}

}  // namespace

Measures residual(const ContactProblem& problem, const ContactSolution& solution,
                  const std::vector<Velocity>* reference) {
  require(solution.contact_impulse.size() == problem.contacts.size() &&
              solution.joint_impulse.size() == problem.joint_rows.size() &&
              solution.velocity.size() == problem.bodies.size(),
          "the solution does not belong to this problem: give the one a solver filled for it");
  const int dim = contact_rows(problem);
  const std::vector<Velocity> u = velocities_from_impulses(problem, solution);
  const Gauges gauges = gauges_of(problem, solution, u, dim);

  Measures m;
  m.residual = ContactRuler(problem).residual(solution);
  set_references(problem, gauges, m);
  measure_natural_map(gauges, dim, m);
  RowSum sum;
  measure_contacts(gauges, dim, m, sum);
  measure_joints(problem, solution, u, m, sum);
  m.c1_rms = sum.rms() / m.v_ref;
  measure_positions(problem, m);
  for (std::size_t i = 0; i < u.size(); ++i) {
    const double off =
        std::max(norm(u[i].linear - solution.velocity[i].linear), norm(u[i].angular - solution.velocity[i].angular));
    m.c7_consistency = std::max(m.c7_consistency, off / m.v_ref);
  }
  if (reference != nullptr) m.c8_kinetic_error = kinetic_error(problem, u, *reference);
  return m;
}

namespace {

Gauges gauges_of(const DelassusProblem& problem, std::span<const double> impulse, std::span<const double> velocity) {
  const auto dim = to_index(problem.dim());
  Gauges gauges(to_index(problem.contact_count()));
  for (std::size_t k = 0; k < gauges.size(); ++k) {
    Gauge& g = gauges[k];
    for (std::size_t i = 0; i < dim; ++i) {
      g.impulse[i] = impulse[k * dim + i];
      g.velocity[i] = velocity[k * dim + i];
      g.free[i] = problem.q[k * dim + i];
    }
    g.friction = problem.friction[k];
    set_scales(problem.w.diagonal_block(static_cast<std::int64_t>(k)), problem.dim(), g);
  }
  return gauges;
}

/// Without bodies: v_ref = rms of the free normal velocities, mass = 1 / mean W_nn.
void set_references(const Gauges& gauges, Measures& m) {
  double q2 = 0, k_n = 0;
  for (const Gauge& g : gauges) {
    q2 += g.free[0] * g.free[0];
    k_n += g.k_n;
  }
  const double count = gauges.empty() ? 1.0 : static_cast<double>(gauges.size());
  m.v_ref = q2 > 0 ? std::sqrt(q2 / count) : 1.0;
  m.mass_ref = k_n > 0 ? count / k_n : 1.0;
}

/// C8 without bodies: |x|_W^2 = x . W x is the kinetic energy of the velocity change M^-1 J^T x.
double kinetic_error(const DelassusProblem& problem, std::span<const double> impulse,
                     std::span<const double> reference) {
  const std::size_t size = impulse.size();
  std::vector<double> x(size), wx(size), zero(size, 0.0);
  const auto energy = [&](auto&& difference) {
    double sum = 0;
    for (std::size_t i = 0; i < size; ++i) x[i] = difference(i);
    multiply_add(problem.w, x, zero, wx);
    for (std::size_t i = 0; i < size; ++i) sum += x[i] * wx[i];
    return std::sqrt(std::max(sum, 0.0));
  };
  const double error = energy([&](std::size_t i) { return impulse[i] - reference[i]; });
  return divide(error, energy([&](std::size_t i) { return reference[i]; }));
}

}  // namespace

Measures residual(const DelassusProblem& problem, std::span<const double> impulse, std::span<const double> reference) {
  require(impulse.size() == problem.q.size(), "the impulses do not belong to this problem: give dim per contact");
  std::vector<double> velocity(problem.q.size());
  multiply_add(problem.w, impulse, problem.q, velocity);
  const Gauges gauges = gauges_of(problem, impulse, velocity);
  Measures m;
  m.residual = relative_residual(problem, impulse, velocity);
  set_references(gauges, m);
  measure_natural_map(gauges, problem.dim(), m);
  RowSum sum;
  measure_contacts(gauges, problem.dim(), m, sum);
  m.c1_rms = sum.rms() / m.v_ref;
  if (!reference.empty()) m.c8_kinetic_error = kinetic_error(problem, impulse, reference);
  return m;
}

std::vector<double> contact_velocities(const ContactProblem& problem, const ContactSolution& solution) {
  const std::vector<Velocity> u = velocities_from_impulses(problem, solution);
  const auto dim = to_index(contact_rows(problem));
  std::vector<double> y(problem.contacts.size() * dim);
  for (std::size_t k = 0; k < problem.contacts.size(); ++k) {
    const ContactBlock& c = problem.contacts[k];
    std::array<double, 4> v = contact_velocity(c, u[to_index(c.body_a)], u[to_index(c.body_b)]);
    v[0] += contact_bias(problem, c);
    std::copy_n(v.begin(), dim, y.begin() + static_cast<std::ptrdiff_t>(k * dim));
  }
  return y;
}

double quality_gamma(std::span<const double> impulse, std::span<const double> velocity,
                     std::span<const FrictionAxes> friction, int dim, double r) {
  double sum = 0;
  const auto d = to_index(dim);
  for (std::size_t k = 0; k < friction.size(); ++k) {
    std::array<double, 4> z{};
    for (std::size_t i = 0; i < d; ++i) z[i] = impulse[k * d + i] - r * velocity[k * d + i];
    if (dim == 2) project_contact<2>(FrictionSet::ellipse, friction[k], z.data());
    if (dim == 3) project_contact<3>(FrictionSet::ellipse, friction[k], z.data());
    if (dim == 4) project_contact<4>(FrictionSet::ellipse, friction[k], z.data());
    for (std::size_t i = 0; i < d; ++i) sum += (z[i] - impulse[k * d + i]) * (z[i] - impulse[k * d + i]);
  }
  return 0.5 * sum;
}

}  // namespace cairn
