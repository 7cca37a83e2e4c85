// SPDX-License-Identifier: MIT
// ODE: quick step with 20 iterations, hash space, double precision, all by its defaults; up to eight points per pair of
// shapes, as in its examples. Friction is the geometric mean of the two surfaces, in a pyramid along the normal force.
#include <ode/ode.h>
#include <ode/version.h>

#include <algorithm>
#include <cmath>

#include "benchmarks/peers/peer.h"
#include "cairn/core/index.h"

namespace cairn::peers {

namespace {

constexpr int kMostPoints = 8;

Vec3 to_vec3(const dReal* v) { return {v[0], v[1], v[2]}; }

/// Opened once for the whole program, as the library wants it.
void open_library() {
  static const bool opened = dInitODE2(0) != 0;
  if (!opened) cannot("the library did not open");
}

class OdePeer : public Peer {
 public:
  explicit OdePeer(const PeerScene& scene);
  ~OdePeer() override;

  void set_threads(int threads) override;
  void step(double dt) override;
  void read(std::span<PeerState> out) const override;
  std::int64_t contacts() const override { return contacts_; }

 private:
  struct Surface {
    std::vector<dReal> corners;
    std::vector<dTriIndex> triangles;
    dTriMeshDataID data = nullptr;
  };

  dGeomID make_triangles(const PeerTriangles& from);
  dGeomID make_simple(const Shape& shape);
  dGeomID make_plane(const HalfSpace& plane, const Pose& at);
  void add_shape(const PeerBody& body, const PeerShape& shape, std::size_t index);
  void add_body(const PeerBody& body);
  void add_joint(const PeerJoint& joint);
  void collide(dGeomID a, dGeomID b);
  void free_pool();

  const PeerScene scene_;
  std::vector<dBodyID> bodies_;  ///< null for those that do not move
  std::vector<std::unique_ptr<Surface>> surfaces_;
  dWorldID world_ = nullptr;
  dSpaceID space_ = nullptr;
  dJointGroupID contact_joints_ = nullptr;
  dThreadingImplementationID threading_ = nullptr;
  dThreadingThreadPoolID pool_ = nullptr;
  int threads_ = 1;
  std::int64_t contacts_ = 0;
};

OdePeer::OdePeer(const PeerScene& scene) : scene_(scene) {
  open_library();
  dAllocateODEDataForThread(dAllocateMaskAll);
  world_ = dWorldCreate();
  space_ = dHashSpaceCreate(nullptr);
  contact_joints_ = dJointGroupCreate(0);
  dWorldSetGravity(world_, scene.gravity.x, scene.gravity.y, scene.gravity.z);
  for (const PeerBody& body : scene_.bodies) add_body(body);
  for (const PeerJoint& joint : scene_.joints) add_joint(joint);
}

OdePeer::~OdePeer() {
  free_pool();
  dJointGroupDestroy(contact_joints_);
  dSpaceDestroy(space_);
  dWorldDestroy(world_);
  for (const auto& surface : surfaces_) dGeomTriMeshDataDestroy(surface->data);
}

void OdePeer::free_pool() {
  dWorldSetStepThreadingImplementation(world_, nullptr, nullptr);
  if (threading_ == nullptr) return;
  dThreadingImplementationShutdownProcessing(threading_);
  dThreadingFreeThreadPool(pool_);
  dThreadingFreeImplementation(threading_);
  threading_ = nullptr, pool_ = nullptr;
}

void OdePeer::set_threads(int threads) {
  if (threads == threads_) return;
  free_pool();
  threads_ = threads;
  if (threads == 1) return;
  threading_ = dThreadingAllocateMultiThreadedImplementation();
  pool_ = dThreadingAllocateThreadPool(static_cast<unsigned>(threads), 0, dAllocateFlagBasicData, nullptr);
  dThreadingThreadPoolServeMultiThreadedImplementation(pool_, threading_);
  dWorldSetStepThreadingImplementation(world_, dThreadingImplementationGetFunctions(threading_), threading_);
}

dGeomID OdePeer::make_triangles(const PeerTriangles& from) {
  auto surface = std::make_unique<Surface>();
  for (const Vec3& corner : from.corners)
    surface->corners.insert(surface->corners.end(), {corner.x, corner.y, corner.z});
  for (const auto& t : from.triangles)
    for (const std::int32_t corner : t) surface->triangles.push_back(static_cast<dTriIndex>(corner));
  surface->data = dGeomTriMeshDataCreate();
  dGeomTriMeshDataBuildDouble(surface->data, surface->corners.data(), 3 * sizeof(dReal),
                              static_cast<int>(from.corners.size()), surface->triangles.data(),
                              static_cast<int>(surface->triangles.size()), 3 * sizeof(dTriIndex));
  surfaces_.push_back(std::move(surface));
  return dCreateTriMesh(space_, surfaces_.back()->data, nullptr, nullptr, nullptr);
}

/// ODE keeps planes in the world.
dGeomID OdePeer::make_plane(const HalfSpace& plane, const Pose& at) {
  const Vec3 normal = rotate(at.orientation, plane.normal);
  return dCreatePlane(space_, normal.x, normal.y, normal.z, plane.offset + dot(normal, at.position));
}

dGeomID OdePeer::make_simple(const Shape& shape) {
  if (const auto* s = std::get_if<Sphere>(&shape)) return dCreateSphere(space_, s->radius);
  if (const auto* s = std::get_if<Box>(&shape)) return dCreateBox(space_, 2 * s->half.x, 2 * s->half.y, 2 * s->half.z);
  if (const auto* s = std::get_if<Capsule>(&shape)) return dCreateCapsule(space_, s->radius, 2 * s->half_length);
  if (const auto* s = std::get_if<TriangleMesh>(&shape)) return make_triangles(triangles_of(*s));
  if (const auto* s = std::get_if<HeightField>(&shape)) return make_triangles(triangles_of(*s));
  cannot(shape_name(shape));
}

void OdePeer::add_shape(const PeerBody& body, const PeerShape& shape, std::size_t index) {
  const Pose world = body.pose * shape.pose;
  const auto* plane = std::get_if<HalfSpace>(&shape.shape);
  const dGeomID geom = plane != nullptr ? make_plane(*plane, world) : make_simple(shape.shape);
  dGeomSetCategoryBits(geom, body.layer);
  dGeomSetCollideBits(geom, body.mask);
  dGeomSetData(geom, const_cast<PeerBody*>(&scene_.bodies[index]));
  if (plane != nullptr) return;
  const Pose& at = body.dynamic ? shape.pose : world;
  const dQuaternion turn{at.orientation.w, at.orientation.x, at.orientation.y, at.orientation.z};
  if (body.dynamic) {
    dGeomSetBody(geom, bodies_[index]);
    dGeomSetOffsetPosition(geom, at.position.x, at.position.y, at.position.z);
    dGeomSetOffsetQuaternion(geom, turn);
  } else {
    dGeomSetPosition(geom, at.position.x, at.position.y, at.position.z);
    dGeomSetQuaternion(geom, turn);
  }
}

void OdePeer::add_body(const PeerBody& body) {
  bodies_.push_back(nullptr);
  if (body.dynamic) {
    const dBodyID made = bodies_.back() = dBodyCreate(world_);
    dMass mass;
    dMassSetParameters(&mass, body.mass, 0, 0, 0, body.inertia.x, body.inertia.y, body.inertia.z, 0, 0, 0);
    dBodySetMass(made, &mass);
    const Quat& q = body.pose.orientation;
    const dQuaternion turn{q.w, q.x, q.y, q.z};
    dBodySetPosition(made, body.pose.position.x, body.pose.position.y, body.pose.position.z);
    dBodySetQuaternion(made, turn);
    const Velocity& v = body.velocity;
    dBodySetLinearVel(made, v.linear.x, v.linear.y, v.linear.z);
    dBodySetAngularVel(made, v.angular.x, v.angular.y, v.angular.z);
  }
  for (const PeerShape& shape : body.shapes) add_shape(body, shape, bodies_.size() - 1);
}

/// Anchors and axes are told in the world as it is now, which has no body for -1.
void OdePeer::add_joint(const PeerJoint& joint) {
  if (joint.collide) cannot("joined bodies that collide");
  const auto body = [&](int index) { return index < 0 ? nullptr : bodies_[to_index(index)]; };
  const Pose at = joint.a < 0 ? joint.frame_a : scene_.bodies[to_index(joint.a)].pose * joint.frame_a;
  if (joint.kind == PeerJointKind::ball) {
    const dJointID made = dJointCreateBall(world_, nullptr);
    dJointAttach(made, body(joint.a), body(joint.b));
    dJointSetBallAnchor(made, at.position.x, at.position.y, at.position.z);
    return;
  }
  const Vec3 axis = rotate(at.orientation, {1, 0, 0});
  const dJointID made = dJointCreateHinge(world_, nullptr);
  dJointAttach(made, body(joint.a), body(joint.b));
  dJointSetHingeAnchor(made, at.position.x, at.position.y, at.position.z);
  dJointSetHingeAxis(made, axis.x, axis.y, axis.z);
}

void OdePeer::collide(dGeomID a, dGeomID b) {
  const dBodyID body_a = dGeomGetBody(a), body_b = dGeomGetBody(b);
  if (body_a == body_b) return;
  if (body_a != nullptr && body_b != nullptr && dAreConnectedExcluding(body_a, body_b, dJointTypeContact) != 0) return;
  dContact points[kMostPoints];
  const int count = dCollide(a, b, kMostPoints, &points[0].geom, sizeof(dContact));
  const auto& surface_a = *static_cast<const PeerBody*>(dGeomGetData(a));
  const auto& surface_b = *static_cast<const PeerBody*>(dGeomGetData(b));
  for (int i = 0; i < count; ++i) {
    points[i].surface = {};
    points[i].surface.mode = dContactApprox1;
    points[i].surface.mu = std::sqrt(surface_a.friction * surface_b.friction);
    const double bounce = std::max(surface_a.restitution, surface_b.restitution);
    if (bounce > 0) points[i].surface.mode |= dContactBounce, points[i].surface.bounce = bounce;
    dJointAttach(dJointCreateContact(world_, contact_joints_, &points[i]), body_a, body_b);
  }
  contacts_ += count;
}

void OdePeer::step(double dt) {
  contacts_ = 0;
  dSpaceCollide(space_, this, [](void* self, dGeomID a, dGeomID b) { static_cast<OdePeer*>(self)->collide(a, b); });
  dWorldQuickStep(world_, dt);
  dJointGroupEmpty(contact_joints_);
}

void OdePeer::read(std::span<PeerState> out) const {
  for (std::size_t i = 0; i < out.size(); ++i) {
    const PeerBody& body = scene_.bodies[i];
    if (bodies_[i] == nullptr) {
      out[i] = state_of(body, body.pose, {});
      continue;
    }
    const dReal* q = dBodyGetQuaternion(bodies_[i]);
    out[i] = state_of(body, {to_vec3(dBodyGetPosition(bodies_[i])), normalised(Quat{q[0], q[1], q[2], q[3]})},
                      {to_vec3(dBodyGetLinearVel(bodies_[i])), to_vec3(dBodyGetAngularVel(bodies_[i]))});
  }
}

}  // namespace

PeerInfo ode_peer() {
  const bool threads = dCheckConfiguration("ODE_THR_builtin_impl") != 0;
  return {"ode", dODE_VERSION, "libode-dev", threads ? 2 : 1,
          [](const PeerScene& scene) -> std::unique_ptr<Peer> { return std::make_unique<OdePeer>(scene); }};
}

}  // namespace cairn::peers
