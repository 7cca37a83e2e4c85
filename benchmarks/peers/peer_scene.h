// SPDX-License-Identifier: MIT
// PeerScene: a world as other engines need it told. Bodies stand in the axes of their principal moments at the centre
// of mass, compounds are taken apart, joints name their bodies by number. Made from any World, so that every scene
// serves for every engine that knows its shapes and joints.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "cairn/world/world.h"

namespace cairn::peers {

struct PeerShape {
  Shape shape;  ///< never a compound
  Pose pose;    ///< in the principal axes of its body
};

struct PeerBody {
  bool dynamic = true;
  Pose pose;                             ///< of the principal axes, world
  Pose frame;                            ///< of the principal axes, in the body's frame
  Velocity velocity;                     ///< of the centre of mass
  double mass = 0;                       ///< kg
  Vec3 inertia;                          ///< kg m^2, principal moments
  double friction = 0, restitution = 0;  ///< of all its shapes
  std::uint32_t layer = 1, mask = 0;     ///< of all its shapes
  std::vector<PeerShape> shapes;
};

enum class PeerJointKind { ball, hinge };

struct PeerJoint {
  PeerJointKind kind = PeerJointKind::ball;
  int a = -1, b = -1;     ///< bodies; -1: the world
  Pose frame_a, frame_b;  ///< in principal axes, in the world where there is no body; hinges turn about x
  bool collide = false;   ///< whether the two bodies collide with each other
};

struct PeerScene {
  Vec3 gravity;
  std::vector<PeerBody> bodies;  ///< in the order of World::bodies()
  std::vector<PeerJoint> joints;
};

/// The world as it is now. InputError of kind unsupported for what no adapter takes: bodies that are moved by
/// themselves, surfaces of one body that differ, joints other than free balls and hinges.
PeerScene describe(const World& world);

/// Corners and triangles of a surface.
struct PeerTriangles {
  std::vector<Vec3> corners;
  std::vector<std::array<std::int32_t, 3>> triangles;
};
PeerTriangles triangles_of(const TriangleMesh& mesh);
PeerTriangles triangles_of(const HeightField& field);

/// InputError of kind unsupported: "cannot: ...".
[[noreturn]] void cannot(const std::string& what);

/// "sphere", "triangle mesh", ...: for messages.
const char* shape_name(const Shape& shape);

}  // namespace cairn::peers
