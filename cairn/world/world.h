// SPDX-License-Identifier: MIT
// World: bodies with shapes, joints between them, and the step that moves them.
//
//   World world;
//   world.add_body({.kind = BodyKind::fixed}, {{.shape = make_half_space({0, 0, 1}, 0)}});
//   const BodyId ball = world.add_body({.pose = {{0, 0, 2}}}, {{.shape = make_sphere(0.5)}});
//   for (int i = 0; i < 600; ++i) world.step(1.0 / 60);
//
// Every function checks its arguments, in release builds too, and throws InputError that says what to change; nothing
// has changed then. The state after n steps depends on the calls made, never on threads, timing or addresses.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cairn/core/hash.h"
#include "cairn/joints/joint.h"
#include "cairn/math/aabb.h"
#include "cairn/problem/contact_problem.h"
#include "cairn/world/events.h"
#include "cairn/world/report.h"
#include "cairn/world/settings.h"

namespace cairn {

struct WorldState;

/// Everything a body is and does, as of now.
struct BodyView {
  BodyKind kind = BodyKind::dynamic;
  Pose pose;          ///< of the body's frame
  Vec3 centre;        ///< of mass, world
  Velocity velocity;  ///< of the centre of mass
  double mass = 0;    ///< kg; 0 for fixed and kinematic bodies
  SymMat3 inertia;    ///< kg m^2 about the centre of mass, body axes
  double gravity_scale = 1;
  bool asleep = false;
  bool quarantined = false;
  std::uint64_t user = 0;
};

/// How bodies hang together, as the last step found it; per body in the order of World::bodies().
struct BodyGroups {
  std::vector<std::int32_t> island;  ///< -1: cannot move, asleep, or a state that was just restored
  std::vector<std::int32_t>
      sub_bodies;  ///< bodies and joints' other ends it meets: parts that mass splitting makes of it
};

class World {
 public:
  explicit World(const WorldSettings& settings = {});
  ~World();
  World(World&&) noexcept;
  World& operator=(World&&) noexcept;

  // The step. dt in [1e-7, 1] s; 0 does nothing. While one thread is inside, edits by another are refused.
  const StepReport& step(double dt);
  const StepReport& last_report() const;
  const WorldSettings& settings() const;
  /// Same rules as the constructor; takes effect with the next step.
  void set_settings(const WorldSettings& settings);
  double time() const;
  std::int64_t step_count() const;
  /// From now on StageTimes::cpu is filled; the clock costs about a microsecond at both ends of every stage.
  void measure_cpu_times(bool measure);

  // Bodies and shapes.
  BodyId add_body(const BodyDef& def, std::span<const ShapeDef> shapes = {});
  BodyId add_body(const BodyDef& def, std::initializer_list<ShapeDef> shapes);
  void remove_body(BodyId body);
  ShapeId add_shape(BodyId body, const ShapeDef& shape);
  void remove_shape(ShapeId shape);
  bool contains(BodyId body) const;
  bool contains(ShapeId shape) const;
  std::size_t body_count() const;
  /// Live bodies in order of creation slots.
  std::vector<BodyId> bodies() const;
  std::vector<ShapeId> shapes_of(BodyId body) const;

  // State.
  BodyView view(BodyId body) const;
  void set_pose(BodyId body, const Pose& pose);
  void set_velocity(BodyId body, const Velocity& velocity);
  void set_kind(BodyId body, BodyKind kind);
  void set_mass(BodyId body, const MassProperties& mass);
  void set_damping(BodyId body, double linear, double angular);
  void set_gravity_scale(BodyId body, double scale);
  void set_locked_axes(BodyId body, std::uint32_t axes);
  void set_continuous(BodyId body, bool continuous);
  void set_may_sleep(BodyId body, bool may_sleep);
  void set_material(ShapeId shape, const Material& material);
  void set_filter(ShapeId shape, std::uint32_t layer, std::uint32_t mask);
  const ShapeDef& shape_def(ShapeId shape) const;
  BodyId body_of(ShapeId shape) const;

  // Forces act during the next step only; impulses at once.
  void add_force(BodyId body, const Vec3& force);
  void add_force_at(BodyId body, const Vec3& force, const Vec3& point);
  void add_torque(BodyId body, const Vec3& torque);
  void add_impulse(BodyId body, const Vec3& impulse);
  void add_impulse_at(BodyId body, const Vec3& impulse, const Vec3& point);
  void add_angular_impulse(BodyId body, const Vec3& impulse);

  void wake(BodyId body);
  /// Lets a quarantined body move again, from where it was frozen.
  void release(BodyId body);
  /// Two bodies that never collide with each other. Those that a joint connects do not, unless it says so.
  void set_collision(BodyId a, BodyId b, bool enabled);

  // Joints. Removing a body removes its joints; one that breaks is removed after the step and named in its report.
  JointId add_joint(const JointDef& def);
  void remove_joint(JointId joint);
  /// Other numbers for a joint that keeps its bodies and its kind: limits, drives, frames, breaking forces.
  void set_joint(JointId joint, const JointDef& def);
  void set_joint_enabled(JointId joint, bool enabled);
  bool contains(JointId joint) const;
  /// Live joints in order of creation slots.
  std::vector<JointId> joints() const;
  const JointDef& joint_def(JointId joint) const;
  JointView view(JointId joint) const;
  /// A definition whose frames coincide at `where` (world) with the bodies as they are now; null for body_a: the world.
  JointDef joint_at(BodyId body_a, BodyId body_b, const Pose& where, const JointKind& kind) const;

  // Contacts.
  void set_contact_listener(ContactListener listener);
  std::span<const ContactEvent> events() const;  ///< of the last step
  std::vector<ContactView> contacts() const;     ///< all points, sleeping ones included
  BodyGroups groups() const;
  /// The problem of the last step as a value, and what the solver made of it. A solver in lanes (soft_step) does not
  /// need contacts in double: where they were not made, they are made on request, which InputError refuses once the
  /// world was edited. Not for two threads at once.
  const ContactProblem& problem() const;
  const ContactSolution& solution() const;
  /// Per contact of the problem, the colour it was given to the solver with (SolveContext::contact_colour).
  std::span<const std::int32_t> contact_colours() const;
  /// From now on every step makes its problem and solution whole, so that edits do not matter. Changes no result.
  void keep_problem(bool keep);
  /// From now on the impulses that a solve begins from are kept for `warm_start`, and the problem too.
  void keep_warm_start(bool keep);
  const ContactSolution& warm_start() const;  ///< of the last step, impulses only; empty unless kept

  // Queries see the world as it is now, and may be made by several threads at once. The direction need not be unit;
  // `length` in metres.
  std::optional<WorldHit> cast_ray(const Vec3& origin, const Vec3& direction, double length,
                                   const QueryFilter& filter = {}) const;
  std::vector<WorldHit> cast_ray_all(const Vec3& origin, const Vec3& direction, double length,
                                     const QueryFilter& filter = {}) const;  ///< by distance, then shape
  std::optional<WorldHit> cast_shape(const Shape& shape, const Pose& pose, const Vec3& translation,
                                     const QueryFilter& filter = {}) const;
  std::vector<WorldHit> cast_shape_all(const Shape& shape, const Pose& pose, const Vec3& translation,
                                       const QueryFilter& filter = {}) const;
  /// Batches, on the threads of the world: hits[i] is what the single call would say of rays[i] or casts[i].
  void cast_rays(std::span<const RayCast> rays, std::span<std::optional<WorldHit>> hits,
                 const QueryFilter& filter = {}) const;
  void cast_rays_all(std::span<const RayCast> rays, HitLists& hits, const QueryFilter& filter = {}) const;
  void cast_shapes(std::span<const ShapeCast> casts, std::span<std::optional<WorldHit>> hits,
                   const QueryFilter& filter = {}) const;
  void cast_shapes_all(std::span<const ShapeCast> casts, HitLists& hits, const QueryFilter& filter = {}) const;
  std::vector<ShapeId> overlap_shape(const Shape& shape, const Pose& pose, const QueryFilter& filter = {}) const;
  std::vector<ShapeId> overlap_box(const Aabb& box, const QueryFilter& filter = {}) const;  ///< by bounds

  // Whole states.
  /// Poses and velocities of all bodies, bit for bit.
  Hash128 state_hash() const;
  /// Bodies, shapes and joints: what they are, where they stand, how they move; not the settings. Tells a world that
  /// was just made from another one.
  Hash128 definition_hash() const;
  /// Everything that decides the future, warm starts included.
  std::string save() const;
  /// Replaces this world by a saved one, or explains why not; then nothing has changed.
  std::optional<Error> restore(const std::string& snapshot);

 private:
  void deliver_events();
  template <class Cast>
  void fill_lists(std::span<const Cast> casts, HitLists& hits, const QueryFilter& filter) const;
  std::unique_ptr<WorldState> state_;
};

}  // namespace cairn
