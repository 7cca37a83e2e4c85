// SPDX-License-Identifier: MIT
// Elastic solids as scene files have them.
#include "cairn/dynamics/body_def.h"
#include "cairn/scenefile/scene_file.h"
#include "cairn/world/limits.h"

namespace cairn {

namespace {

constexpr const char* kModels[] = {"neo_hookean", "st_venant_kirchhoff", "corotated"};
constexpr std::size_t kMostSolids = 1000;

void describe_material(Fields& f, ElasticMaterial& m) {
  f.named("model", m.model, kModels, "how stress follows from strain");
  f.number("density", m.density, {1e-3, 1e6}, "kg/m^3, undeformed");
  f.number("young", m.young, {1e-3, 1e15}, "Pa, Young's modulus; the step shrinks with its root");
  f.number("poisson", m.poisson, {-0.99, 0.499}, "Poisson's ratio");
  f.number("viscosity", m.viscosity, {0, 1e9}, "Pa s");
  f.number("friction", m.friction, {0, 1e6}, "coefficient; a pair has the root of the product");
}

void describe_solid(Fields& f, SceneSolid& s) {
  f.place(s.place);
  f.text("name", s.name, "what it is called");
  describe_geometry(f, s.geometry, false);
  describe_pose(f, s.pose);
  f.vector("velocity", s.velocity.linear, kLargestSpeed, "m/s at the start");
  f.vector("angular_velocity", s.velocity.angular, kLargestSpeed, "rad/s at the start, about its place");
  f.vector("stretch", s.stretch, 100, "factors along its own axes at the start: 1 undeformed");
  f.object(
      "material", [&](Fields& x) { describe_material(x, s.material); }, "what it is made of");
}

}  // namespace

void describe(Fields& f, SceneElastic& e) {
  f.number("spacing", e.spacing, {1e-6, 1e6}, "m, edge of a cell; eight cells across a solid give good answers");
  f.vector("lower", e.lower, kLargestPosition, "m, lower corner of the grid; solids stay five cells inside");
  f.vector("upper", e.upper, kLargestPosition, "m, its upper corner");
  f.number("cfl", e.cfl, {0.01, 0.9}, "share of a cell that a wave may cross in a sub-step");
  f.list("bodies", e.bodies, 0, kMostSolids, describe_solid, "elastic solids; `bodies` of the scene are rigid");
}

}  // namespace cairn
