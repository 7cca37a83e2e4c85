// SPDX-License-Identifier: MIT
#include "cairn/euler/rigid_side.h"

#include <algorithm>

#include "cairn/core/errors.h"
#include "cairn/solvers/solver.h"

namespace cairn {

namespace {

/// The solver of the rigid world. It calls the function that the ElasticWorld has set.
class CoupledSolver final : public Solver {
 public:
  explicit CoupledSolver(const RigidSide& side) : side_(side) {}

  SolveReport solve(const ContactProblem& problem, ContactSolution& solution, SolveContext& /*context*/) override {
    if (!side_.solve)
      fail_input("the rigid bodies of an elastic world move with it: call ElasticWorld::step, not that of rigid()",
                 ErrorKind::unsupported);
    side_.solve(problem, solution);
    SolveReport report;
    report.reason = StopReason::converged;
    report.iterations = 1;
    return report;
  }
  SolveReport solve(const DelassusProblem& /*problem*/, DelassusSolution& /*solution*/,
                    SolveContext& /*context*/) override {
    fail_input("the solver of an elastic world takes no assembled problems", ErrorKind::unsupported);
  }

 private:
  const RigidSide& side_;
};

}  // namespace

void RigidSide::check() const {
  const WorldSettings& settings = world.settings();
  require(settings.sub_steps == 1,
          "rigid bodies beside elastic solids take the sub-steps of these: set sub_steps of rigid() to 1");
  require(!settings.sleep.enabled, "rigid bodies beside elastic solids do not sleep: switch it off in rigid()");
}

void RigidSide::attach() { world.set_solver(std::make_unique<CoupledSolver>(*this)); }

void RigidSide::step(double h, const Solve& work) {
  struct Guard {
    Solve& solve;
    ~Guard() { solve = nullptr; }
  };
  solve = work;
  const Guard guard{solve};
  world.step(h);
}

void RigidSide::append_obstacles(std::vector<Obstacle>& obstacles) const {
  const std::size_t first = obstacles.size();
  for (const BodyId id : world.bodies()) {
    const BodyView body = world.view(id);
    for (const ShapeId shape : world.shapes_of(id)) {
      const ShapeDef& def = world.shape_def(shape);
      Obstacle o;
      o.number = kFirstShape + static_cast<std::int32_t>(shape.index);
      const Pose pose = body.pose * def.pose;
      o.distance = [&def, pose](const Vec3& p) { return closest_point(def.shape, transform_back(pose, p)).distance; };
      const Aabb box = bounds(def.shape, pose);
      o.box = is_finite(box.lower) && is_finite(box.upper) ? box : kEverywhere;
      o.friction = def.material.friction;
      o.centre = body.centre;
      o.velocity = body.velocity;
      o.body = static_cast<std::int32_t>(id.index);
      obstacles.push_back(std::move(o));
    }
  }
  std::sort(obstacles.begin() + static_cast<std::ptrdiff_t>(first), obstacles.end(),
            [](const Obstacle& a, const Obstacle& b) { return a.number < b.number; });
}

}  // namespace cairn
