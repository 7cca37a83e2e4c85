// SPDX-License-Identifier: MIT
// GridSolid: one elastic solid on the grid, and the stages of its step. Each solid has fields of its own, so two solids
// may share a cell.
//
//   map       X(x): where the material at x was when undeformed. The solid is where the signed distance phi0(X) <= 0.
//   velocity  v(x): of the material at x
//
// The stages follow J. A. Litven, A Parallel Active-Set Method for Solving Frictional Contact Problems, 2013, chapter 4
// (Eulerian solids: Levin, Litven, Jones, Sueda, Pai 2011). Four things differ: a cell has eight stress points in place
// of one, nodes with little mass are agglomerated, extrapolation is affine, and advection is semi-Lagrangian.
// docs/euler.md explains each.
//
//   velocity* = advected velocity + h force / mass                      predict_velocity
//   velocity  = velocity* after contact, extrapolated to the band       spread_velocity
//   map       = advected map, extrapolated to the band                  advance_map
//   mass, force from the new map                                        integrate_cells, agglomerate
//
// The band is the layers of nodes around the solid to which its fields are extrapolated.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "cairn/core/index.h"
#include "cairn/core/parallel.h"
#include "cairn/euler/elastic_material.h"
#include "cairn/euler/node_blocks.h"
#include "cairn/euler/solid_shape.h"
#include "cairn/math/velocity.h"

namespace cairn {

/// A solid as the user writes it.
struct ElasticBodyDef {
  SolidShape shape = Sphere{};
  Pose pose{};            ///< of the undeformed shape
  Vec3 stretch{1, 1, 1};  ///< by which the shape is stretched along its own axes at the start; 1: undeformed
  ElasticMaterial material{};
  Velocity velocity{};                                      ///< m/s and rad/s, rigid motion about the pose at the start
  std::function<Vec3(const Vec3& point)> velocity_field{};  ///< m/s, added to that at points of the world; may be empty
};

/// Throws InputError for a definition that cannot be used.
void check_body_def(const ElasticBodyDef& def);

enum class Advection {
  semi_lagrangian,  ///< back along the path by the midpoint rule, trilinear interpolation
  upwind,           ///< first-order differences against the stream (Litven 2013, 4.1)
};

/// How a solid is computed.
struct SolidSettings {
  Advection advection = Advection::semi_lagrangian;
  /// Nodes with less than this share of a full cell's mass are carried by their neighbours. A smaller share makes
  /// momentum drift less and speeds at the surface higher.
  double least_mass = 0.5;
};

enum class SolidState : std::uint8_t {
  active,
  inverted,   ///< frozen: more of it is inside out than the stress can push back
  diverged,   ///< frozen: a number is not finite, or it would cross more than two cells in a step
  left_grid,  ///< frozen: it came too near to a side of the grid
};
const char* to_string(SolidState state);

/// Sums over the fields of a solid.
struct SolidMeasures {
  double mass = 0;                   ///< kg
  double volume = 0;                 ///< m^3, deformed
  double kinetic_energy = 0;         ///< J
  double elastic_energy = 0;         ///< J
  Vec3 centre;                       ///< m, of mass
  Vec3 momentum;                     ///< kg m/s
  Vec3 angular_momentum;             ///< kg m^2/s about the origin of the world
  double max_speed = 0;              ///< m/s
  double lost_mass = 0;              ///< kg, of nodes that no dynamic node is near enough to carry
  std::int64_t cells = 0;            ///< cells that hold some of the solid
  std::int64_t dynamic_nodes = 0;    ///< nodes with a velocity of their own
  std::int64_t inverted_points = 0;  ///< stress points where det(dX/dx) left [0.05, 20]; they have no stress
};

enum NodeFlag : std::uint8_t {
  kHasMap = 1,       ///< map and distance are defined
  kHasVelocity = 2,  ///< velocity is defined
  kIsDynamic = 4,    ///< the node has a mass of its own, and forces and contact move it
};

/// The weight that a dynamic node has in the velocity of a node that is carried.
struct NodeShare {
  std::int32_t node = 0;
  double weight = 0;
};

struct GridSolid {
  Grid grid;
  SolidShape shape;
  ElasticMaterial material;
  LameConstants lame;  ///< derived from the material
  SolidSettings settings;
  SolidState state = SolidState::active;

  NodeBlocks blocks;
  // Per node of the blocks.
  std::vector<std::uint8_t> flags;
  std::vector<Vec3> map;            ///< m, in the frame of the shape
  std::vector<Vec3> velocity;       ///< m/s
  std::vector<double> distance;     ///< phi0(X), derived from map
  std::vector<double> mass;         ///< kg, derived by integrate_cells and agglomerate; 0 unless dynamic
  std::vector<Vec3> force;          ///< N, without gravity; derived in the same way
  std::vector<std::uint8_t> marks;  ///< scratch: whether a node keeps its advected map
  std::vector<Vec3> next;           ///< velocity* between predict_velocity and spread_velocity; else scratch

  SolidMeasures measures;  ///< derived from the state

  struct BlockSums {
    double volume = 0, elastic_energy = 0;
    std::int64_t cells = 0, inverted = 0, points = 0;
  };
  std::vector<BlockSums> sums;                   ///< per block, written by integrate_cells
  std::vector<std::vector<std::int32_t>> lists;  ///< per block: scratch of extrapolate and agglomerate

  std::vector<NodeShare> shares;  ///< scratch of agglomerate
  std::vector<std::size_t> share_ends;

  bool is_active() const { return state == SolidState::active; }
  bool has(std::int32_t node, std::uint8_t flag) const { return node >= 0 && (flags[to_index(node)] & flag) != 0; }
};

/// Makes the fields of a solid at its start, ready for its first step. Throws InputError if it reaches out of the grid
/// or has no dynamic node.
GridSolid place_solid(const Grid& grid, const ElasticBodyDef& def, const SolidSettings& settings, ThreadPool* pool);

/// Gives all fields one entry per node of the blocks, and clears them.
void resize_fields(GridSolid& solid);

/// The largest stable step in s: cfl * spacing / (wave speed + speed), and not more than viscosity allows,
/// spacing^2 density / (12 viscosity).
double step_limit(const GridSolid& solid, double cfl);

/// Writes velocity* of dynamic nodes into `next`. Returns false if it broke down.
bool predict_velocity(GridSolid& solid, double h, const Vec3& gravity, ThreadPool* pool);
/// Takes `next` as velocity of dynamic nodes and extrapolates it to four layers around them.
void spread_velocity(GridSolid& solid, ThreadPool* pool);
/// Advects the map with the velocity and extrapolates it to three layers around the solid.
void advance_map(GridSolid& solid, double h, ThreadPool* pool);
/// Computes the distance of all nodes that have a map.
void update_distance(GridSolid& solid, ThreadPool* pool);
/// Moves the blocks to where the solid is now. Returns false if it came too near to a side of the grid.
bool refresh_blocks(GridSolid& solid);
/// Computes mass, force, dynamic nodes and measures from the map. Returns false if too much is inverted or a number is
/// not finite.
bool integrate_cells(GridSolid& solid, ThreadPool* pool);
/// Hands mass and force of nodes with little mass to the nodes that carry them, and computes the measures. It is a part
/// of integrate_cells.
bool agglomerate(GridSolid& solid, ThreadPool* pool);

/// Appends the nodes that carry a node. A dynamic node carries itself. Another one is carried by the dynamic nodes in
/// the cube of 3, 5 or 7 nodes around it, the smallest that has any, with weights by mass over squared distance that
/// add up to 1. Appends nothing if there are none.
void append_shares(const GridSolid& solid, const GridIndex& node, std::vector<NodeShare>& shares);

/// Extends a field from nodes with `flag` to `layers` layers of neighbours around them, and flags these. A new node
/// gets the value of an affine fit of the field over the 7 x 7 x 7 nodes around it, weighted by exp(-d^2/2) with d in
/// cells.
void extrapolate(GridSolid& solid, std::vector<Vec3>& field, std::uint8_t flag, int layers, ThreadPool* pool);

}  // namespace cairn
