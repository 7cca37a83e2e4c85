// SPDX-License-Identifier: MIT
#include "cairn/solvers/exact/body_space.h"

#include <algorithm>
#include <cmath>

#include "cairn/core/index.h"

namespace cairn {

namespace {

constexpr double kFlat = 1e-15;  // of the trace: smaller pivots of an inverse inertia are axes that are locked

/// Lower triangle L with L L^T = m, positive semidefinite; columns of locked axes are zero.
std::array<std::array<double, 3>, 3> root_of(const SymMat3& m) {
  const double a[3][3] = {{m.xx, m.xy, m.xz}, {m.xy, m.yy, m.yz}, {m.xz, m.yz, m.zz}};
  const double least = kFlat * (m.xx + m.yy + m.zz);
  std::array<std::array<double, 3>, 3> l{};
  for (std::size_t j = 0; j < 3; ++j) {
    double pivot = a[j][j];
    for (std::size_t k = 0; k < j; ++k) pivot -= l[j][k] * l[j][k];
    if (!(pivot > least)) continue;
    l[j][j] = std::sqrt(pivot);
    for (std::size_t i = j + 1; i < 3; ++i) {
      double sum = a[i][j];
      for (std::size_t k = 0; k < j; ++k) sum -= l[i][k] * l[j][k];
      l[i][j] = sum / l[j][j];
    }
  }
  return l;
}

double dot6(const double* a, const double* b) {
  double sum = 0;
  for (int i = 0; i < 6; ++i) sum += a[i] * b[i];
  return sum;
}

double dot12(const double* a, const double* b) { return dot6(a, b) + dot6(a + 6, b + 6); }

/// target += left^T right, D rows of six numbers each, 12 apart on the left and 6 on the right.
template <int D>
void add_outer(const double* left, const double* right, double* target) {
  for (int i = 0; i < 6; ++i) {
    double row[6];
    for (int j = 0; j < 6; ++j) row[j] = target[i * 6 + j];
    for (int k = 0; k < D; ++k) {
      const double factor = left[k * 12 + i];
      for (int j = 0; j < 6; ++j) row[j] += factor * right[k * 6 + j];
    }
    for (int j = 0; j < 6; ++j) target[i * 6 + j] = row[j];
  }
}

}  // namespace

void BodySpace::load(const ContactProblem& island) {
  island_ = &island;
  dim_ = contact_rows(island);
  law_.clear(), edges_.clear(), g_.clear();
  number_bodies();
  for (const ContactBlock& contact : island.contacts) add_contact(contact);
  for (const JointBlock& joint : island.joints) add_joint(joint);
  matrix_.set_graph(edges_, static_cast<std::int32_t>(state_size_ / 6));
  ruler_.reset(island);
  scratch_.contact_impulse.resize(island.contacts.size());
  scratch_.joint_impulse.resize(island.joint_rows.size());
}

void BodySpace::number_bodies() {
  number_.clear(), root_mass_.clear(), turning_.clear();
  std::int32_t count = 0;
  for (const ProblemBody& body : island_->bodies) {
    number_.push_back(body.is_dynamic() ? count++ : kNoVertex);
    root_mass_.push_back(std::sqrt(std::max(body.inverse_mass, 0.0)));
    turning_.push_back(root_of(body.inverse_inertia));
  }
  state_size_ = to_index(count) * 6;
}

/// A row of J S from the row of J: (linear, angular) per body.
BodySpace::Row BodySpace::weigh(std::int32_t body_a, std::int32_t body_b, const Velocity& a, const Velocity& b) const {
  Row row{};
  const auto half = [&](std::int32_t body, const Velocity& j, double* out) {
    const auto i = to_index(body);
    if (number_[i] == kNoVertex) return;
    const Factor& l = turning_[i];
    out[0] = root_mass_[i] * j.linear.x, out[1] = root_mass_[i] * j.linear.y, out[2] = root_mass_[i] * j.linear.z;
    const double w[3] = {j.angular.x, j.angular.y, j.angular.z};
    for (std::size_t c = 0; c < 3; ++c)
      for (std::size_t r = c; r < 3; ++r) out[3 + c] += l[r][c] * w[r];
  };
  half(body_a, a, row.data()), half(body_b, b, row.data() + 6);
  return row;
}

void BodySpace::add_contact(const ContactBlock& c) {
  const LawUnit unit{static_cast<std::int32_t>(law_.rows()), static_cast<std::int32_t>(law_.block_entries), dim_};
  const std::array<Vec3, 3> axes{c.normal, c.tangent1, c.tangent2};
  const FrictionAxes mu = friction_axes(c);
  const std::array<double, 4> cone{1, mu.s, mu.t, mu.spin};
  const auto row_of = [&](std::size_t i) {
    if (i == 3) {
      const Vec3 axis = c.spin_radius * c.normal;
      return weigh(c.body_a, c.body_b, {{}, -1.0 * axis}, {{}, axis});
    }
    return weigh(c.body_a, c.body_b, {-1.0 * axes[i], -1.0 * cross(c.arm_a, axes[i])},
                 {axes[i], cross(c.arm_b, axes[i])});
  };
  double trace = 0;
  for (std::size_t i = 0; i < to_index(dim_); ++i) {
    g_.push_back(row_of(i));
    trace += dot12(g_.back().data(), g_.back().data());
  }
  const double size = trace > 0 ? std::sqrt(dim_ / trace) : 0.0;
  std::array<double, 4> q = contact_velocity(c, free_velocity(*island_, c.body_a), free_velocity(*island_, c.body_b));
  q[0] += contact_bias(*island_, c);
  for (std::size_t i = 0; i < to_index(dim_); ++i) {
    const double scale = size * cone[i];
    law_.scale.push_back(scale), law_.q.push_back(scale * q[i]), law_.softness.push_back(0);
    for (double& value : g_[to_index(unit.first) + i]) value *= scale;
  }
  finish_unit(unit);
  edges_.push_back({number_[to_index(c.body_a)], number_[to_index(c.body_b)]});
}

/// Every row by itself: its bounds are its own.
void BodySpace::add_joint(const JointBlock& joint) {
  for (std::int32_t k = joint.first_row; k < joint.first_row + joint.row_count; ++k) {
    const JointRow& row = island_->joint_rows[to_index(k)];
    LawUnit unit{static_cast<std::int32_t>(law_.rows()), static_cast<std::int32_t>(law_.block_entries), 1};
    Row& g = g_.emplace_back(
        weigh(joint.body_a, joint.body_b, {row.linear_a, row.angular_a}, {row.linear_b, row.angular_b}));
    const bool acts =
        moves_bodies(island_->bodies[to_index(joint.body_a)], island_->bodies[to_index(joint.body_b)], row);
    const double softness = joint_softness(*island_, row);
    const double weight = (acts ? dot12(g.data(), g.data()) : 0.0) + softness;
    const double scale = weight > 0 ? 1 / std::sqrt(weight) : 0.0;
    const double q = joint_velocity(row, free_velocity(*island_, joint.body_a), free_velocity(*island_, joint.body_b)) +
                     joint_bias(*island_, row);
    if (scale > 0) unit.lower = row.lower / scale, unit.upper = row.upper / scale;
    law_.scale.push_back(scale), law_.q.push_back(scale * q), law_.softness.push_back(scale * scale * softness);
    for (double& value : g) value *= scale;
    finish_unit(unit);
    edges_.push_back({number_[to_index(joint.body_a)], number_[to_index(joint.body_b)]});
  }
}

/// Step lengths: 1 / A_nn, and 1 / the largest row sum of the friction block, which bounds its eigenvalues.
void BodySpace::finish_unit(const LawUnit& unit) {
  const auto first = to_index(unit.first);
  const auto inverse = [](double value) { return value > 0 ? 1 / value : 1.0; };
  law_.rho.push_back(inverse(dot12(g_[first].data(), g_[first].data()) + law_.softness[first]));
  double bound = 0;
  for (std::size_t i = 1; i < to_index(unit.dim); ++i) {
    double sum = 0;
    for (std::size_t j = 1; j < to_index(unit.dim); ++j)
      sum += std::fabs(dot12(g_[first + i].data(), g_[first + j].data()));
    bound = std::max(bound, sum);
  }
  for (std::int32_t i = 1; i < unit.dim; ++i) law_.rho.push_back(inverse(bound));
  law_.units.push_back(unit);
  law_.block_entries += to_index(unit.dim * unit.dim);
}

void BodySpace::to_state(std::span<const double> x, std::span<double> s) const {
  std::fill(s.begin(), s.end(), 0.0);
  for (std::size_t u = 0; u < law_.units.size(); ++u) {
    const LawUnit& unit = law_.units[u];
    const auto add = [&](std::int32_t body, std::size_t half) {
      if (body == kNoVertex) return;
      double* out = s.data() + std::int64_t{body} * 6;
      for (std::int32_t i = unit.first; i < unit.first + unit.dim; ++i) {
        const double factor = x[to_index(i)];
        const double* g = g_[to_index(i)].data() + half;
        for (int k = 0; k < 6; ++k) out[k] += factor * g[k];
      }
    };
    add(edges_[u].a, 0), add(edges_[u].b, 6);
  }
}

void BodySpace::to_velocity(std::span<const double> s, std::span<double> dz) const {
  for (std::size_t u = 0; u < law_.units.size(); ++u) {
    const LawUnit& unit = law_.units[u];
    const Edge& edge = edges_[u];
    for (auto i = to_index(unit.first); i < to_index(unit.first + unit.dim); ++i) {
      double sum = 0;
      if (edge.a != kNoVertex) sum += dot6(g_[i].data(), s.data() + std::int64_t{edge.a} * 6);
      if (edge.b != kNoVertex) sum += dot6(g_[i].data() + 6, s.data() + std::int64_t{edge.b} * 6);
      dz[i] = sum;
    }
  }
}

/// Adds G^T D G of one unit to the blocks of its bodies.
template <int D>
void BodySpace::add_product(const LawUnit& unit, const BodyMatrix::Place& place, const double* response) {
  const double* g = g_[to_index(unit.first)].data();
  double a[D * 6], b[D * 6];
  for (int i = 0; i < D; ++i)
    for (int j = 0; j < 6; ++j) {
      double sum_a = 0, sum_b = 0;
      for (int k = 0; k < D; ++k) {
        sum_a += response[i * D + k] * g[k * 12 + j];
        sum_b += response[i * D + k] * g[k * 12 + 6 + j];
      }
      a[i * 6 + j] = sum_a, b[i * 6 + j] = sum_b;
    }
  if (place.aa >= 0) add_outer<D>(g, a, matrix_.block(place.aa));
  if (place.bb >= 0) add_outer<D>(g + 6, b, matrix_.block(place.bb));
  if (place.ab < 0) return;
  add_outer<D>(g, b, matrix_.block(place.ab));
  add_outer<D>(g + 6, a, matrix_.block(place.ba));
}

bool BodySpace::factorise(std::span<const double> response) {
  matrix_.set_identity();
  for (std::size_t u = 0; u < law_.units.size(); ++u) {
    const LawUnit& unit = law_.units[u];
    const double* d = response.data() + unit.block;
    if (d[0] == 0) continue;  // lifted off, or held by a bound
    if (unit.dim == 1) add_product<1>(unit, matrix_.place(u), d);
    if (unit.dim == 3) add_product<3>(unit, matrix_.place(u), d);
    if (unit.dim == 4) add_product<4>(unit, matrix_.place(u), d);
  }
  return matrix_.factorise();
}

bool BodySpace::solve(std::span<const double> rhs, std::span<double> ds) {
  if (rhs.data() != ds.data()) std::copy(rhs.begin(), rhs.end(), ds.begin());
  matrix_.solve(ds);
  return std::all_of(ds.begin(), ds.end(), [](double value) { return std::isfinite(value); });
}

void BodySpace::to_impulses(std::span<const double> x, ContactSolution& solution) const {
  std::size_t row = 0;
  for (std::array<double, 4>& impulse : solution.contact_impulse) {
    impulse = {0, 0, 0, 0};
    for (std::size_t i = 0; i < to_index(dim_); ++i, ++row) impulse[i] = law_.scale[row] * x[row];
  }
  for (const JointBlock& joint : island_->joints)
    for (std::int32_t k = joint.first_row; k < joint.first_row + joint.row_count; ++k, ++row)
      solution.joint_impulse[to_index(k)] = law_.scale[row] * x[row];
}

void BodySpace::from_impulses(const ContactSolution& solution, std::span<double> x) const {
  std::size_t row = 0;
  const auto scaled = [&](double impulse) {
    const double value = law_.scale[row] > 0 ? impulse / law_.scale[row] : 0.0;
    return std::isfinite(value) ? value : 0.0;
  };
  for (const std::array<double, 4>& impulse : solution.contact_impulse)
    for (std::size_t i = 0; i < to_index(dim_); ++i, ++row) x[row] = scaled(impulse[i]);
  for (const JointBlock& joint : island_->joints)
    for (std::int32_t k = joint.first_row; k < joint.first_row + joint.row_count; ++k, ++row)
      x[row] = scaled(solution.joint_impulse[to_index(k)]);
}

double BodySpace::measure(std::span<const double> x) {
  to_impulses(x, scratch_);
  return ruler_.residual(scratch_);
}

}  // namespace cairn
