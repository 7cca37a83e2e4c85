// SPDX-License-Identifier: MIT
// Bullet: sequential impulses with 10 iterations, dynamic bounding volume tree, single precision, all by its defaults.
// Friction multiplies, so that each surface gets the root of its coefficient. Debian's package has no task scheduler:
// one thread.
#include <btBulletDynamicsCommon.h>
#include <fmt/core.h>

#include <cmath>

#include "benchmarks/peers/peer.h"
#include "cairn/core/index.h"

namespace cairn::peers {

namespace {

btVector3 to_bullet(const Vec3& v) {
  return {static_cast<btScalar>(v.x), static_cast<btScalar>(v.y), static_cast<btScalar>(v.z)};
}
btTransform to_bullet(const Pose& pose) {
  const Quat& q = pose.orientation;
  return btTransform(btQuaternion(static_cast<btScalar>(q.x), static_cast<btScalar>(q.y), static_cast<btScalar>(q.z),
                                  static_cast<btScalar>(q.w)),
                     to_bullet(pose.position));
}
Vec3 from_bullet(const btVector3& v) { return {v.x(), v.y(), v.z()}; }
Pose from_bullet(const btTransform& t) {
  const btQuaternion q = t.getRotation();
  return {from_bullet(t.getOrigin()), normalised(Quat{q.w(), q.x(), q.y(), q.z()})};
}

class BulletPeer : public Peer {
 public:
  explicit BulletPeer(const PeerScene& scene);
  ~BulletPeer() override;

  void set_threads(int) override {}
  void step(double dt) override { world_.stepSimulation(static_cast<btScalar>(dt), 0); }
  void read(std::span<PeerState> out) const override;
  std::int64_t contacts() const override;

 private:
  btCollisionShape* keep(std::unique_ptr<btCollisionShape> shape);
  btCollisionShape* make_triangles(const PeerTriangles& from);
  btCollisionShape* make_simple(const Shape& shape);
  btCollisionShape* make_shape(const PeerBody& body);
  void add_body(const PeerBody& body);
  void add_joint(const PeerJoint& joint);

  const PeerScene scene_;
  std::vector<std::unique_ptr<btCollisionShape>> shapes_;
  std::vector<std::unique_ptr<btTriangleMesh>> meshes_;
  std::vector<std::unique_ptr<btRigidBody>> bodies_;
  std::vector<std::unique_ptr<btTypedConstraint>> joints_;
  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_{&configuration_};
  btDbvtBroadphase broad_phase_;
  btSequentialImpulseConstraintSolver solver_;
  btDiscreteDynamicsWorld world_{&dispatcher_, &broad_phase_, &solver_, &configuration_};
};

BulletPeer::BulletPeer(const PeerScene& scene) : scene_(scene) {
  world_.setGravity(to_bullet(scene.gravity));
  for (const PeerBody& body : scene.bodies) add_body(body);
  for (const PeerJoint& joint : scene.joints) add_joint(joint);
}

BulletPeer::~BulletPeer() {
  for (const auto& joint : joints_) world_.removeConstraint(joint.get());
  for (const auto& body : bodies_) world_.removeRigidBody(body.get());
}

btCollisionShape* BulletPeer::keep(std::unique_ptr<btCollisionShape> shape) {
  shapes_.push_back(std::move(shape));
  return shapes_.back().get();
}

btCollisionShape* BulletPeer::make_triangles(const PeerTriangles& from) {
  auto mesh = std::make_unique<btTriangleMesh>();
  for (const auto& t : from.triangles) {
    const auto corner = [&](std::size_t k) { return to_bullet(from.corners[to_index(t[k])]); };
    mesh->addTriangle(corner(0), corner(1), corner(2));
  }
  meshes_.push_back(std::move(mesh));
  return keep(std::make_unique<btBvhTriangleMeshShape>(meshes_.back().get(), true));
}

btCollisionShape* BulletPeer::make_simple(const Shape& shape) {
  const auto scalar = [](double x) { return static_cast<btScalar>(x); };
  if (const auto* s = std::get_if<Sphere>(&shape)) return keep(std::make_unique<btSphereShape>(scalar(s->radius)));
  if (const auto* s = std::get_if<Box>(&shape)) return keep(std::make_unique<btBoxShape>(to_bullet(s->half)));
  if (const auto* s = std::get_if<Capsule>(&shape))
    return keep(std::make_unique<btCapsuleShapeZ>(scalar(s->radius), scalar(2 * s->half_length)));
  if (const auto* s = std::get_if<HalfSpace>(&shape))
    return keep(std::make_unique<btStaticPlaneShape>(to_bullet(s->normal), scalar(s->offset)));
  if (const auto* s = std::get_if<ConvexHull>(&shape)) {
    auto hull = std::make_unique<btConvexHullShape>();
    for (const Vec3& vertex : s->data->vertices) hull->addPoint(to_bullet(vertex), false);
    hull->recalcLocalAabb();
    return keep(std::move(hull));
  }
  if (const auto* s = std::get_if<TriangleMesh>(&shape)) return make_triangles(triangles_of(*s));
  if (const auto* s = std::get_if<HeightField>(&shape)) return make_triangles(triangles_of(*s));
  cannot(shape_name(shape));
}

/// A single shape that stands in the axes of its body needs no compound.
btCollisionShape* BulletPeer::make_shape(const PeerBody& body) {
  if (body.shapes.empty()) return keep(std::make_unique<btEmptyShape>());
  if (body.shapes.size() == 1 && body.shapes[0].pose == Pose{}) return make_simple(body.shapes[0].shape);
  auto compound = std::make_unique<btCompoundShape>();
  for (const PeerShape& shape : body.shapes) compound->addChildShape(to_bullet(shape.pose), make_simple(shape.shape));
  return keep(std::move(compound));
}

void BulletPeer::add_body(const PeerBody& body) {
  const btScalar mass = body.dynamic ? static_cast<btScalar>(body.mass) : btScalar(0);
  btRigidBody::btRigidBodyConstructionInfo info(mass, nullptr, make_shape(body), to_bullet(body.inertia));
  info.m_startWorldTransform = to_bullet(body.pose);
  info.m_friction = static_cast<btScalar>(std::sqrt(body.friction));
  info.m_restitution = static_cast<btScalar>(std::sqrt(body.restitution));
  auto made = std::make_unique<btRigidBody>(info);
  if (body.dynamic) {
    made->setLinearVelocity(to_bullet(body.velocity.linear));
    made->setAngularVelocity(to_bullet(body.velocity.angular));
    made->setActivationState(DISABLE_DEACTIVATION);
  }
  world_.addRigidBody(made.get(), static_cast<int>(body.layer), static_cast<int>(body.mask));
  bodies_.push_back(std::move(made));
}

void BulletPeer::add_joint(const PeerJoint& joint) {
  const auto body = [&](int index) -> btRigidBody& {
    return index < 0 ? btTypedConstraint::getFixedBody() : *bodies_[to_index(index)];
  };
  btRigidBody &a = body(joint.a), &b = body(joint.b);
  if (joint.kind == PeerJointKind::ball) {
    joints_.push_back(std::make_unique<btPoint2PointConstraint>(a, b, to_bullet(joint.frame_a.position),
                                                                to_bullet(joint.frame_b.position)));
  } else {
    const Pose z_to_x{{}, {std::sqrt(0.5), 0, std::sqrt(0.5), 0}};  // Bullet's hinges turn about z
    joints_.push_back(std::make_unique<btHingeConstraint>(a, b, to_bullet(joint.frame_a * z_to_x),
                                                          to_bullet(joint.frame_b * z_to_x)));
  }
  world_.addConstraint(joints_.back().get(), !joint.collide);
}

void BulletPeer::read(std::span<PeerState> out) const {
  for (std::size_t i = 0; i < out.size(); ++i) {
    const btRigidBody& body = *bodies_[i];
    out[i] = state_of(scene_.bodies[i], from_bullet(body.getWorldTransform()),
                      {from_bullet(body.getLinearVelocity()), from_bullet(body.getAngularVelocity())});
  }
}

std::int64_t BulletPeer::contacts() const {
  std::int64_t count = 0;
  for (int i = 0; i < dispatcher_.getNumManifolds(); ++i)
    count += const_cast<btCollisionDispatcher&>(dispatcher_).getManifoldByIndexInternal(i)->getNumContacts();
  return count;
}

}  // namespace

PeerInfo bullet_peer() {
  return {"bullet", fmt::format("{}.{}", BT_BULLET_VERSION / 100, BT_BULLET_VERSION % 100), "libbullet-dev", 1,
          [](const PeerScene& scene) -> std::unique_ptr<Peer> { return std::make_unique<BulletPeer>(scene); }};
}

}  // namespace cairn::peers
