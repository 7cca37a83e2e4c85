// SPDX-License-Identifier: MIT
#include "benchmarks/peers/peer_scene.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "cairn/core/errors.h"
#include "cairn/core/index.h"
#include "cairn/math/symmetric_eigen.h"

namespace cairn::peers {

namespace {

/// The rotation whose columns are the given right-handed axes (Shepperd 1978: divides by the largest component).
Quat from_columns(const Vec3& x, const Vec3& y, const Vec3& z) {
  const double w2 = 1 + x.x + y.y + z.z, x2 = 1 + x.x - y.y - z.z, y2 = 1 - x.x + y.y - z.z, z2 = 1 - x.x - y.y + z.z;
  const double most = std::max({w2, x2, y2, z2});
  if (most == w2) return normalised(Quat{w2, y.z - z.y, z.x - x.z, x.y - y.x});
  if (most == x2) return normalised(Quat{y.z - z.y, x2, y.x + x.y, z.x + x.z});
  if (most == y2) return normalised(Quat{z.x - x.z, y.x + x.y, y2, z.y + y.z});
  return normalised(Quat{x.y - y.x, z.x + x.z, z.y + y.z, z2});
}

void set_mass(const BodyView& view, PeerBody& body) {
  body.frame.position = transform_back(view.pose, view.centre);
  if (!body.dynamic) return;
  const SymmetricEigen eigen = symmetric_eigen(view.inertia);
  body.mass = view.mass;
  body.inertia = {eigen.value[0], eigen.value[1], eigen.value[2]};
  body.frame.orientation = from_columns(eigen.vector[0], eigen.vector[1], cross(eigen.vector[0], eigen.vector[1]));
}

void add_shape(const Shape& shape, const Pose& pose, PeerBody& body) {
  if (const auto* compound = std::get_if<Compound>(&shape)) {
    for (const CompoundChild& child : compound->data->children) add_shape(child.shape, pose * child.pose, body);
    return;
  }
  body.shapes.push_back({shape, pose});
}

void add_shapes(const World& world, BodyId id, PeerBody& body) {
  const Pose to_frame = inverse(body.frame);
  bool first = true;
  for (const ShapeId shape : world.shapes_of(id)) {
    const ShapeDef& def = world.shape_def(shape);
    const Material& m = def.material;
    if (m.static_friction >= 0 || m.friction_across >= 0 || m.spin_radius > 0 || m.rolling_radius > 0)
      cannot("materials with more than friction and restitution");
    const bool same = m.friction == body.friction && m.restitution == body.restitution && def.layer == body.layer &&
                      def.mask == body.mask;
    if (!first && !same) cannot("bodies whose shapes differ in material or layer");
    body.friction = m.friction, body.restitution = m.restitution, body.layer = def.layer, body.mask = def.mask;
    first = false;
    add_shape(def.shape, to_frame * def.pose, body);
  }
}

PeerBody describe_body(const World& world, BodyId id) {
  const BodyView view = world.view(id);
  if (view.kind == BodyKind::kinematic) cannot("bodies that are moved by themselves");
  PeerBody body;
  body.dynamic = view.kind == BodyKind::dynamic;
  body.velocity = view.velocity;
  set_mass(view, body);
  body.pose = view.pose * body.frame;
  add_shapes(world, id, body);
  return body;
}

PeerJoint describe_joint(const JointDef& def, const std::vector<BodyId>& ids, const std::vector<PeerBody>& bodies) {
  PeerJoint joint;
  const auto number = [&](BodyId id) {
    const auto found = std::find(ids.begin(), ids.end(), id);
    return found == ids.end() ? -1 : static_cast<int>(found - ids.begin());
  };
  const auto in_principal_axes = [&](int body, const Pose& frame) {
    return body < 0 ? frame : inverse(bodies[to_index(body)].frame) * frame;
  };
  if (const auto* hinge = std::get_if<HingeJoint>(&def.kind); hinge != nullptr && *hinge == HingeJoint{})
    joint.kind = PeerJointKind::hinge;
  else if (const auto* ball = std::get_if<BallJoint>(&def.kind); ball == nullptr || !(*ball == BallJoint{}))
    cannot(fmt::format("{} joints, or their limits and drives", kind_name(def.kind)));
  if (def.linear.compliance > 0 || def.angular.compliance > 0) cannot("compliant joints");
  joint.a = number(def.body_a), joint.b = number(def.body_b);
  joint.frame_a = in_principal_axes(joint.a, def.frame_a), joint.frame_b = in_principal_axes(joint.b, def.frame_b);
  joint.collide = def.collide_connected;
  return joint;
}

}  // namespace

PeerScene describe(const World& world) {
  PeerScene scene;
  scene.gravity = world.settings().gravity;
  const std::vector<BodyId> ids = world.bodies();
  for (const BodyId id : ids) scene.bodies.push_back(describe_body(world, id));
  for (const JointId id : world.joints())
    if (world.joint_def(id).enabled) scene.joints.push_back(describe_joint(world.joint_def(id), ids, scene.bodies));
  return scene;
}

PeerTriangles triangles_of(const TriangleMesh& mesh) {
  PeerTriangles result;
  result.corners = mesh.data->vertices;
  for (const MeshTriangle& triangle : mesh.data->triangles) result.triangles.push_back(triangle.vertex);
  return result;
}

PeerTriangles triangles_of(const HeightField& field) {
  PeerTriangles result;
  for (std::int32_t t = 0; t < field.triangle_count(); ++t) {
    const Triangle triangle = field.triangle(t);
    const auto first = static_cast<std::int32_t>(result.corners.size());
    for (const Vec3& corner : {triangle.a, triangle.b, triangle.c}) result.corners.push_back(corner);
    result.triangles.push_back({first, first + 1, first + 2});
  }
  return result;
}

void cannot(const std::string& what) { fail_input("cannot: " + what, ErrorKind::unsupported); }

const char* shape_name(const Shape& shape) {
  constexpr const char* kNames[] = {"spheres",     "boxes", "capsules",      "cylinders",       "cones",
                                    "half-spaces", "hulls", "height fields", "triangle meshes", "compounds"};
  static_assert(std::variant_size_v<Shape> == std::size(kNames));
  return kNames[shape.index()];
}

}  // namespace cairn::peers
