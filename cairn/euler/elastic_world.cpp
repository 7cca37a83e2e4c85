// SPDX-License-Identifier: MIT
#include "cairn/euler/elastic_world.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "cairn/core/errors.h"
#include "cairn/core/index.h"
#include "cairn/core/timer.h"
#include "cairn/euler/rigid_coupling.h"
#include "cairn/problem/residual.h"
#include "cairn/solvers/staggered/assembled_staggered.h"

namespace cairn {

namespace {

constexpr const char* kStaggered = "staggered";
constexpr double kStepSlack = 1e-9;  // share of the limit by which a step may exceed it, for rounding

std::unique_ptr<Solver> make_contact_solver(const ElasticSettings& settings) {
  if (settings.contact_solver == kStaggered) return nullptr;
  return make_solver(settings.contact_solver, settings.contact_solver_settings);
}

WorldSettings rigid_settings(const ElasticSettings& settings) {
  WorldSettings rigid;
  rigid.gravity = settings.gravity;
  rigid.measure_residual = false;
  return rigid;
}

}  // namespace

void check_settings(const ElasticSettings& s) {
  check_grid(s.grid);
  require(is_finite(s.gravity), "gravity must be finite");
  require(s.cfl > 0 && s.cfl <= 0.9, "cfl must lie in (0, 0.9]: above it sub-steps are not stable");
  require(s.solid.least_mass >= 0.01 && s.solid.least_mass <= 1,
          "least_mass must lie in [0.01, 1]: the share of a full cell below which nodes are carried");
  require(s.sub_steps >= 0, "sub_steps must not be negative; 0 finds their number");
  require(s.max_sub_steps > 0, "max_sub_steps must be positive");
  require(s.overlap_rate >= 0 && s.overlap_rate <= 1, "overlap_rate must lie in [0, 1]");
  require(s.staggered.iterations > 0 && s.staggered.sweeps >= 0 && s.staggered.most_sets > 0 && s.staggered.eps > 0 &&
              s.staggered.tolerance >= 0,
          "staggered: iterations, most_sets and eps must be positive, sweeps and tolerance not negative");
  require(s.contact_iterations > 0 && s.contact_tolerance >= 0,
          "contact_iterations must be positive and contact_tolerance not negative");
  check_threads(s.threads);
}

ElasticWorld::ElasticWorld(const ElasticSettings& settings) : settings_(settings) {
  check_settings(settings);
  pool_ = make_pool(settings.threads);
  solver_ = make_contact_solver(settings);
  rigid_ = std::make_unique<RigidSide>(rigid_settings(settings));
}
ElasticWorld::~ElasticWorld() = default;
ElasticWorld::ElasticWorld(ElasticWorld&&) noexcept = default;
ElasticWorld& ElasticWorld::operator=(ElasticWorld&&) noexcept = default;

int ElasticWorld::add_body(const ElasticBodyDef& def) {
  solids_.push_back(place_solid(settings_.grid, def, settings_.solid, pool_.get()));
  start_mass_.push_back(solids_.back().measures.mass);
  return body_count() - 1;
}

int ElasticWorld::add_wall(const WallDef& wall) {
  check_wall(wall);
  walls_.push_back(wall);
  return static_cast<int>(walls_.size()) - 1;
}

const GridSolid& ElasticWorld::body(int number) const {
  require(number >= 0 && number < body_count(), "there is no solid of that number");
  return solids_[to_index(number)];
}

double ElasticWorld::step_limit() const {
  double limit = std::numeric_limits<double>::infinity();
  for (const GridSolid& solid : solids_)
    if (solid.is_active()) limit = std::min(limit, cairn::step_limit(solid, settings_.cfl));
  return limit;
}

int ElasticWorld::choose_sub_steps(double dt) const {
  const double limit = step_limit() * (1 + kStepSlack);
  if (settings_.sub_steps > 0) {
    if (dt > settings_.sub_steps * limit)
      fail_input(
          fmt::format("a step of {:g} s in {} sub-steps is above the stable limit of {:g} s each: take a smaller "
                      "dt, more sub-steps, or sub_steps = 0",
                      dt, settings_.sub_steps, limit));
    return settings_.sub_steps;
  }
  const double count = std::max(1.0, std::ceil(dt / limit));
  if (!(count <= settings_.max_sub_steps))
    fail_input(
        fmt::format("a step of {:g} s needs more than {} sub-steps of {:g} s, the stable limit: take a smaller dt, a "
                    "coarser grid or a softer material",
                    dt, settings_.max_sub_steps, limit));
  return static_cast<int>(count);
}

const ElasticReport& ElasticWorld::step(double dt) {
  require(std::isfinite(dt) && dt > 0, "dt must be a positive number of seconds");
  rigid_->check();
  const int sub_steps = choose_sub_steps(dt);
  rigid_->attach();
  report_.step_limit = step_limit();
  report_.contact = {};
  report_.solid_seconds = report_.contact_seconds = 0;
  for (int k = 0; k < sub_steps; ++k) sub_step(dt / sub_steps);
  finish_report(dt, sub_steps);
  return report_;
}

void ElasticWorld::sub_step(double h) {
  Timer timer;
  for (GridSolid& solid : solids_)
    if (solid.is_active() && !predict_velocity(solid, h, settings_.gravity, pool_.get()))
      solid.state = SolidState::diverged;
  report_.solid_seconds += timer.seconds();
  timer.restart();
  solve_contacts(h);
  report_.contact_seconds += timer.seconds();
  timer.restart();
  for (WallDef& wall : walls_) wall.pose.position += h * wall.velocity;
  for (GridSolid& solid : solids_)
    if (solid.is_active()) advance_solid(solid, h);
  report_.solid_seconds += timer.seconds();
}

void ElasticWorld::advance_solid(GridSolid& solid, double h) {
  spread_velocity(solid, pool_.get());
  advance_map(solid, h, pool_.get());
  if (refresh_blocks(solid)) integrate_cells(solid, pool_.get());
}

/// Solves the contacts. Without rigid bodies the problem has the rows of the solids only. With rigid bodies it is one
/// problem for both, and it is solved inside the step of the rigid world.
void ElasticWorld::solve_contacts(double h) {
  std::vector<Obstacle> obstacles = wall_obstacles(walls_);
  ContactRows rows;
  if (rigid_->world.body_count() == 0) {
    if (settings_.contact) rows = find_contact_rows(solids_, obstacles, pool_.get());
    if (!rows.rows.empty()) {
      problem_ = assemble_rows(rows, solids_, h, settings_.overlap_rate, pool_.get());
      read_warm_start(rows);
      start_ = solution_.impulse;
      solve_problem();
    }
  } else {
    rigid_->append_obstacles(obstacles);
    rigid_->step(h, [&](const ContactProblem& problem, ContactSolution& answer) {
      solve_coupled(problem, answer, obstacles, rows);
    });
  }
  finish_contacts(rows);
}

void ElasticWorld::solve_coupled(const ContactProblem& rigid, ContactSolution& answer, std::span<Obstacle> obstacles,
                                 ContactRows& rows) {
  RigidCoupling coupling(rigid);
  for (Obstacle& o : obstacles)
    if (o.body >= 0) o.velocity = coupling.free_velocity()[to_index(o.body)];
  rows = settings_.contact ? find_contact_rows(solids_, obstacles, pool_.get()) : ContactRows{};
  problem_ =
      coupling.extend(assemble_rows(rows, solids_, rigid.dt, settings_.overlap_rate, pool_.get()), rows, pool_.get());
  read_warm_start(rows);
  const auto& carried = answer.contact_impulse;
  for (std::size_t k = 0; k < rigid.contacts.size(); ++k)
    for (std::size_t i = 0; i < 3; ++i) solution_.impulse.push_back(k < carried.size() ? carried[k][i] : 0.0);
  start_ = solution_.impulse;
  if (problem_.contact_count() > 0) solve_problem();
  coupling.finish(solution_.impulse, answer);
}

/// Gives the impulses to the solids, and keeps them as the warm start of the next sub-step.
void ElasticWorld::finish_contacts(const ContactRows& rows) {
  ElasticContactReport& report = report_.contact;
  report.rows = static_cast<std::int64_t>(rows.rows.size());
  report.touching = 0;
  report.overlap = 0;
  if (rows.rows.empty()) {
    warm_.clear();
    return;
  }
  report.momentum_error = std::max(report.momentum_error, apply_impulses(rows, solution_.impulse, solids_));
  for (std::size_t c = 0; c < rows.rows.size(); ++c) {
    report.touching += solution_.impulse[3 * c] > 0 ? 1 : 0;
    report.overlap = std::max(report.overlap, -rows.rows[c].gap);
  }
  keep_warm_start(rows);
}

void ElasticWorld::solve_problem() {
  ElasticContactReport& report = report_.contact;
  if (solver_) {
    SolveContext context;
    context.pool = pool_.get();
    context.stop = {settings_.contact_tolerance, settings_.contact_iterations, 0};
    const SolveReport solved = solver_->solve(problem_, solution_, context);
    report.not_settled += solved.reason == StopReason::converged ? 0 : 1;
    judge_problem();
    return;
  }
  AssembledStaggered staggered(settings_.staggered);
  const AssembledStaggeredReport solved = staggered.solve(problem_, solution_, pool_.get());
  report.staggered_max = std::max(report.staggered_max, solved.iterations);
  report.not_settled += solved.settled ? 0 : 1;
  report.contact_sets_max = std::max(report.contact_sets_max, solved.contact.most_sets);
  report.friction_sets_max = std::max(report.friction_sets_max, solved.friction.most_sets);
  report.factorisations_max =
      std::max({report.factorisations_max, solved.contact.factorisations, solved.friction.factorisations});
  report.refactored += solved.contact.refactorings + solved.friction.refactorings > 0 ? 1 : 0;
  report.rescues += solved.contact.rescues + solved.friction.rescues;
  report.unfinished += solved.contact.unfinished + solved.friction.unfinished;
  report.contact_seconds += solved.contact.seconds;
  report.friction_seconds += solved.friction.seconds;
  judge_problem();
}

void ElasticWorld::judge_problem() {
  double& worst = report_.contact.residual;
  if (settings_.measure_residual) worst = std::max(worst, residual(problem_, solution_.impulse).residual);
}

/// Takes the impulses of the old row for the same column of cells, with the tangential part turned into the new frame.
void ElasticWorld::read_warm_start(const ContactRows& rows) {
  solution_.impulse.assign(3 * rows.rows.size(), 0.0);
  solution_.velocity.clear();
  if (!settings_.warm_start) return;
  auto at = warm_.begin();
  for (std::size_t c = 0; c < rows.rows.size(); ++c) {
    const ContactRow& row = rows.rows[c];
    while (at != warm_.end() && at->key < row.key) ++at;
    if (at == warm_.end() || at->key != row.key) continue;
    solution_.impulse[3 * c] = at->normal;
    solution_.impulse[3 * c + 1] = dot(at->tangential, row.frame.tangent1);
    solution_.impulse[3 * c + 2] = dot(at->tangential, row.frame.tangent2);
  }
}

void ElasticWorld::keep_warm_start(const ContactRows& rows) {
  warm_.clear();
  for (std::size_t c = 0; c < rows.rows.size(); ++c) {
    const double* l = solution_.impulse.data() + 3 * c;
    const Frame& frame = rows.rows[c].frame;
    warm_.push_back({rows.rows[c].key, l[0], l[1] * frame.tangent1 + l[2] * frame.tangent2});
  }
}

void ElasticWorld::finish_report(double dt, int sub_steps) {
  ++report_.step;
  report_.time += dt;
  report_.sub_steps = sub_steps;
  report_.frozen = 0;
  report_.mass_error = 0;
  SolidMeasures& total = report_.total;
  total = {};
  Vec3 first;
  for (std::size_t i = 0; i < solids_.size(); ++i) {
    if (!solids_[i].is_active()) {
      ++report_.frozen;
      continue;
    }
    const SolidMeasures& m = solids_[i].measures;
    report_.mass_error = std::max(report_.mass_error, std::fabs(m.mass - start_mass_[i]) / start_mass_[i]);
    total.mass += m.mass;
    total.volume += m.volume;
    total.kinetic_energy += m.kinetic_energy;
    total.elastic_energy += m.elastic_energy;
    first += m.mass * m.centre;
    total.momentum += m.momentum;
    total.angular_momentum += m.angular_momentum;
    total.max_speed = std::max(total.max_speed, m.max_speed);
    total.lost_mass += m.lost_mass;
    total.cells += m.cells;
    total.dynamic_nodes += m.dynamic_nodes;
    total.inverted_points += m.inverted_points;
  }
  if (total.mass > 0) total.centre = (1 / total.mass) * first;
}

Hash128 ElasticWorld::state_hash() const {
  StateHasher hasher;
  const auto add = [&](const Vec3& v) {
    hasher.add(v.x);
    hasher.add(v.y);
    hasher.add(v.z);
  };
  for (const GridSolid& solid : solids_) {
    hasher.add(static_cast<std::uint64_t>(solid.state));
    for (std::size_t i = 0; i < solid.flags.size(); ++i) {
      if (solid.flags[i] == 0) continue;
      hasher.add(static_cast<std::uint64_t>(i) << 8 | solid.flags[i]);
      if ((solid.flags[i] & kHasMap) != 0) add(solid.map[i]);
      if ((solid.flags[i] & kHasVelocity) != 0) add(solid.velocity[i]);
    }
  }
  for (const WallDef& wall : walls_) add(wall.pose.position);
  if (rigid_->world.body_count() > 0) {
    const Hash128 rigid = rigid_->world.state_hash();
    hasher.add(rigid.high);
    hasher.add(rigid.low);
  }
  return hasher.finish();
}

}  // namespace cairn
