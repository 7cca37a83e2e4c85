// SPDX-License-Identifier: MIT
#include "cairn/solvers/ffd/body_response.h"

#include <algorithm>
#include <cmath>

namespace cairn {

namespace {

const ContactBlock& block_of(const ResponseTask& task, const ContactSide& side) {
  return task.problem.contacts[to_index(side.contact)];
}
const PairImpulse& pair_of(const ResponseTask& task, const ContactSide& side) {
  return task.pairs[to_index(side.contact)];
}

SideImpulse& impulse_of(const ResponseTask& task, std::size_t i) {
  return task.impulses[2 * to_index(task.sides[i].contact) + (task.sides[i].is_b ? 1 : 0)];
}

/// The row of an impulse on body b along `direction`, as this body sees it: a gets the opposite.
Six row_along(const ResponseTask& task, const ContactSide& side, const Vec3& direction) {
  const ContactBlock& c = block_of(task, side);
  const Vec3 signed_direction = side.is_b ? direction : -direction;
  return task.metric.weigh(signed_direction, cross(side.is_b ? c.arm_b : c.arm_a, signed_direction));
}

/// n_i . z >= p_i / m_i, with or without the push of overlaps; contacts that do not close ask for nothing, unless
/// the other body cannot give way.
RowRanks fill_normals(const ResponseTask& task, FfdMode mode, bool with_push) {
  RowRanks ranks;
  for (std::size_t i = 0; i < task.sides.size(); ++i) {
    const PairImpulse& pair = pair_of(task, task.sides[i]);
    BodyRow& h = task.rows[i];
    h.row = row_along(task, task.sides[i], block_of(task, task.sides[i]).normal);
    h.size2 = dot(h.row, h.row);
    h.bound = (with_push ? pair.normal : pair.still) * h.size2;
    if (h.bound <= 0 && (mode == FfdMode::pe || task.sides[i].rank == SideRank::soft)) h.size2 = 0;  // not looked at
    ranks.hard += task.sides[i].rank == SideRank::hard ? 1 : 0;
    ranks.firm += task.sides[i].rank != SideRank::soft ? 1 : 0;
  }
  return ranks;
}

Response respond_normally(const ResponseTask& task, FfdMode mode, RowRanks& ranks, Six& z) {
  const std::span<BodyRow> rows = task.rows.first(task.sides.size());
  for (const bool with_push : {true, false}) {
    z = {};
    ranks = fill_normals(task, mode, with_push);
    if (rows.size() == 1) {  // what follows, in short
      rows[0].is_given_up = false;
      rows[0].multiplier = rows[0].size2 > 0 && rows[0].bound > 0 ? rows[0].bound / rows[0].size2 : 0.0;
      add(z, rows[0].multiplier, rows[0].row);
      return Response::done;
    }
    if (move_into(rows, ranks, z)) return Response::done;
  }
  return Response::stopped;
}

std::size_t friction_rows(const ContactBlock& c) { return c.spin_radius > 0 ? 3 : 2; }

/// Rows of friction, and what the pair wants of them: the velocity along the tangent after p and f have acted.
void fill_tangents(const ResponseTask& task, std::size_t i) {
  const ContactSide& side = task.sides[i];
  const ContactBlock& c = block_of(task, side);
  const PairImpulse& pair = pair_of(task, side);
  BodyContact& contact = task.contacts[i];
  contact.tangent[0] = row_along(task, side, c.tangent1), contact.tangent[1] = row_along(task, side, c.tangent2);
  if (c.spin_radius > 0)
    contact.tangent[2] = task.metric.weigh({}, side.is_b ? c.spin_radius * c.normal : -c.spin_radius * c.normal);
  contact.stiffest = 0;
  for (std::size_t j = 0; j < friction_rows(c); ++j) {
    const double square = dot(contact.tangent[j], contact.tangent[j]);
    contact.stiffest = std::max(contact.stiffest, square);
    contact.wanted[j] = std::max(pair.normal, 0.0) * dot(contact.tangent[j], task.rows[i].row) + pair.slide[j] * square;
  }
}

/// f <- P(f + (w - S z) / k) with one k for all rows of a contact, so that the projection is the nearest point. Returns
/// whether that changed anything.
bool rub(const ContactBlock& c, const BodyContact& contact, SideImpulse& total, Six& z) {
  constexpr double kRoundOff2 = 1e-24;
  if (!(contact.stiffest > 0)) return false;
  const std::size_t rows = friction_rows(c);
  SideImpulse next = total;
  for (std::size_t j = 0; j < rows; ++j)
    next[j + 1] += (contact.wanted[j] - dot(contact.tangent[j], z)) / contact.stiffest;
  const FrictionAxes axes = friction_axes(c);
  if (rows == 3)
    project_friction<4>(FrictionSet::ellipse, axes, next.data());
  else
    project_friction<3>(axes.s == axes.t ? FrictionSet::disc : FrictionSet::ellipse, axes, next.data());
  double change2 = 0, size2 = 0;
  for (std::size_t j = 0; j < rows; ++j) {
    const double change = next[j + 1] - total[j + 1];
    change2 += change * change, size2 += next[j + 1] * next[j + 1];
    add(z, change, contact.tangent[j]);
  }
  total = next;
  return change2 > kRoundOff2 * size2;
}

void rub_all(const ResponseTask& task, int sweeps, Six& z) {
  bool is_moving = true;
  for (int sweep = 0; sweep < sweeps && is_moving; ++sweep) {
    is_moving = false;
    for (std::size_t i = 0; i < task.sides.size(); ++i) {
      const ContactBlock& c = block_of(task, task.sides[i]);
      if (impulse_of(task, i)[0] > 0 && (c.friction1 > 0 || c.friction2 > 0))
        is_moving = rub(c, task.contacts[i], impulse_of(task, i), z) || is_moving;
    }
  }
}

/// Friction with one body may press against another. Then the body goes to the nearest velocity that does not, and what
/// that takes is pressure too. False: it presses nowhere.
bool stay_outside(const ResponseTask& task, const RowRanks& ranks, Six& z) {
  const std::span<BodyRow> rows = task.rows.first(task.sides.size());
  bool is_outside = true;
  for (const BodyRow& row : rows)
    is_outside = is_outside && (row.is_given_up || !(row.size2 > 0) || dot(row.row, z) >= row.bound);
  if (is_outside || !move_into(rows, ranks, z)) return false;
  for (std::size_t i = 0; i < rows.size(); ++i) impulse_of(task, i)[0] += rows[i].multiplier;
  return true;
}

void respond_to_sliding(const ResponseTask& task, const RowRanks& ranks, int sweeps, Six& z) {
  constexpr int kRounds = 3;  // a box that slides leans on its front edge: the second round sees to most of it
  for (std::size_t i = 0; i < task.sides.size(); ++i) {
    impulse_of(task, i)[0] += task.rows[i].multiplier;
    if (impulse_of(task, i)[0] > 0 || task.rows[i].size2 > 0) fill_tangents(task, i);
  }
  for (int round = 0; round < kRounds; ++round) {
    rub_all(task, sweeps, z);
    if (!stay_outside(task, ranks, z)) return;
  }
}

/// The part of z within the span of the given rows: Gram and Schmidt, at most six directions.
Six within_span(std::span<const BodyRow> rows, const Six& z) {
  constexpr double kDependent = 1e-10;
  std::array<Six, 6> basis;
  std::size_t count = 0;
  Six part{};
  for (const BodyRow& h : rows) {
    Six rest = h.row;
    for (std::size_t k = 0; k < count; ++k) add(rest, -dot(rest, basis[k]), basis[k]);
    const double rest2 = dot(rest, rest);
    if (count == 6 || !(rest2 > kDependent * h.size2)) continue;
    const double scale = 1 / std::sqrt(rest2);
    for (double& x : rest) x *= scale;
    basis[count++] = rest;
    add(part, dot(rest, z), rest);
  }
  return part;
}

/// Rows -s_m . delta >= -mu (n . r), with s_m at right angles around the direction in which the pair slides.
std::size_t fill_directions(const ResponseTask& task, const Six& r, std::span<BodyRow> directions) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < task.sides.size(); ++i) {
    const ContactBlock& c = block_of(task, task.sides[i]);
    const PairImpulse& pair = pair_of(task, task.sides[i]);
    const double friction = 0.5 * (c.friction1 + c.friction2), pressed = dot(task.rows[i].row, r);
    if (!(friction > 0) || !(task.rows[i].size2 > 0)) continue;
    const double speed = std::sqrt(pair.slide[0] * pair.slide[0] + pair.slide[1] * pair.slide[1]);
    const double cosine = speed > 0 ? pair.slide[0] / speed : 1.0, sine = speed > 0 ? pair.slide[1] / speed : 0.0;
    const Six along = row_along(task, task.sides[i], cosine * c.tangent1 + sine * c.tangent2);
    const Six across = row_along(task, task.sides[i], cosine * c.tangent2 - sine * c.tangent1);
    for (const auto& [row, sign] : {std::pair(along, 1.0), {across, 1.0}, {along, -1.0}, {across, -1.0}}) {
      BodyRow& h = directions[count++];
      h = {};
      add(h.row, -sign, row);
      h.size2 = dot(h.row, h.row);
      h.bound = -friction * std::max(pressed, 0.0);
    }
  }
  return count;
}

/// Restitution and friction of mode pe. The impulses of friction are not known: the method bounds velocities.
void respond_as_pe(const ResponseTask& task, const Velocity& velocity, Six& r) {
  double bounced = 0, violated = 0;
  for (std::size_t i = 0; i < task.sides.size(); ++i) {
    if (!(task.rows[i].size2 > 0)) continue;
    const PairImpulse& pair = pair_of(task, task.sides[i]);
    const double violation = std::max(pair.still, 0.0) * task.rows[i].size2;
    bounced += pair.bounce * violation, violated += violation;
    impulse_of(task, i)[0] += task.rows[i].multiplier;
  }
  const double restitution = violated > 0 ? bounced / violated : 0.0;
  const std::span<BodyRow> directions = task.rows.subspan(task.sides.size());
  const std::size_t count = fill_directions(task, r, directions);
  // The least energy is at rest: delta = -(u + r), as far as friction reaches.
  Six goal = task.metric.stopped(velocity);
  add(goal, -1, r);
  Six delta = within_span(directions.first(count), goal);
  if (!move_into(directions.first(count), {count, count}, delta)) delta = {};
  for (std::size_t j = 0; j < 6; ++j) r[j] = delta[j] + (1 + restitution) * r[j];
  for (std::size_t i = 0; i < task.sides.size(); ++i) impulse_of(task, i)[0] += restitution * task.rows[i].multiplier;
}

}  // namespace

Response respond(const ResponseTask& task, const FfdSettings& settings, Velocity& velocity) {
  Six z;
  RowRanks ranks;
  const Response response = respond_normally(task, settings.mode, ranks, z);
  if (response == Response::stopped) {
    velocity = {};
    return response;
  }
  if (settings.mode == FfdMode::pe) {
    respond_as_pe(task, velocity, z);
    stay_outside(task, ranks, z);
  } else {
    respond_to_sliding(task, ranks, settings.friction_sweeps, z);
  }
  velocity = task.metric.moved(velocity, z);
  return response;
}

}  // namespace cairn
