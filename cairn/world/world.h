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

class Solver;
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
  bool asleep = false;       ///< with its island; see SleepSettings
  bool quarantined = false;  ///< frozen because its numbers broke down; World::release
  std::uint64_t user = 0;    ///< of BodyDef
};

/// Poses and velocities of all bodies where the world stores them, by the index of their handles. Nothing is copied.
/// They follow the world until bodies are added or a snapshot is restored: then the world may go on in other memory.
/// These stay readable all the same, as they were at that moment, for as long as `memory` lives, even after the world.
struct BodyArrays {
  std::span<const Pose> pose;          ///< of the centre of mass, with the axes of the body
  std::span<const Velocity> velocity;  ///< of the centre of mass
  std::shared_ptr<const void> memory;  ///< keeps what the spans point to
};

/// How bodies hang together, as the last step found it; per body in the order of World::bodies().
struct BodyGroups {
  std::vector<std::int32_t> island;  ///< -1: cannot move, asleep, or a state that was just restored
  std::vector<std::int32_t>
      sub_bodies;  ///< bodies and the world that touch or are joined to it: its mass-splitting shares
};

class World {
 public:
  /// An empty world. InputError if a setting is out of range or a name is unknown.
  explicit World(const WorldSettings& settings = {});
  ~World();
  World(World&&) noexcept;
  World& operator=(World&&) noexcept;

  // The step. While one thread is inside, edits by another are refused.

  /// Moves the world by `dt` seconds, in [1e-7, 1]; 0 does nothing. Returns the report of this step, which the next
  /// step overwrites. Calls the contact listener at its end. Refused inside the listener.
  const StepReport& step(double dt);
  /// The report of the last step; all zero before the first.
  const StepReport& last_report() const;
  /// The settings in force.
  const WorldSettings& settings() const;
  /// Same rules as the constructor; takes effect with the next step. Refused inside the listener, and for a solver that
  /// takes no joints while there are some.
  void set_settings(const WorldSettings& settings);
  /// A solver of the caller's own in place of that of the settings, until set_settings or restore; snapshots do not
  /// have it. It is given the whole problem, not island by island. Refused: none, and one that takes lanes.
  void set_solver(std::unique_ptr<Solver> solver);
  /// Simulated time in seconds.
  double time() const;
  /// Steps done.
  std::int64_t step_count() const;
  /// From now on StageTimes::cpu is filled; the clock costs about a microsecond at both ends of every stage.
  void measure_cpu_times(bool measure);

  // Bodies and shapes. A handle of something that was removed is recognised and refused by every function.

  /// Adds a body with its shapes and returns its handle. A dynamic body needs a mass: BodyDef::mass, or shapes with
  /// volume and density.
  BodyId add_body(const BodyDef& def, std::span<const ShapeDef> shapes = {});
  BodyId add_body(const BodyDef& def, std::initializer_list<ShapeDef> shapes);
  /// Removes a body with its shapes and joints, and wakes what touched it. Inside the listener it waits for the last
  /// event.
  void remove_body(BodyId body);
  /// One more shape for a body; mass and centre of mass follow, unless the mass was given.
  ShapeId add_shape(BodyId body, const ShapeDef& shape);
  /// Refused if a dynamic body without a given mass would have none left. Inside the listener it waits for the last
  /// event.
  void remove_shape(ShapeId shape);
  /// Whether the handle names a body or shape of this world that was not removed.
  bool contains(BodyId body) const;
  bool contains(ShapeId shape) const;
  /// Live bodies; counts them, which takes time in proportion.
  std::size_t body_count() const;
  /// Live bodies by the index of their handles: in the order of creation, but for indices that were used again.
  std::vector<BodyId> bodies() const;
  /// The shapes of a body, by the index of their handles.
  std::vector<ShapeId> shapes_of(BodyId body) const;

  // State. Every setter wakes the body.

  /// Where a body is, how it moves and what it weighs, as of now.
  BodyView view(BodyId body) const;
  /// All of them at once and without copies. An entry whose index no live body has is without meaning.
  BodyArrays arrays() const;
  /// Puts the body's frame at `pose` (m, unit quaternion), at once and through anything. The velocity stays.
  void set_pose(BodyId body, const Pose& pose);
  /// Velocity of the centre of mass in m/s and rad/s, up to 1e6 each. Refused for fixed bodies.
  void set_velocity(BodyId body, const Velocity& velocity);
  /// Gives a kinematic body the velocity that brings its frame to `target` in `dt` seconds, by the shorter way round.
  /// It keeps that velocity afterwards. Refused for other bodies and for speeds beyond those of set_velocity.
  void move_to(BodyId body, const Pose& target, double dt);
  /// A fixed body loses its velocity; a dynamic one needs a mass.
  void set_kind(BodyId body, BodyKind kind);
  /// Mass (kg), centre and inertia (kg m^2 about the centre) in the body's frame, in place of those of the shapes.
  void set_mass(BodyId body, const MassProperties& mass);
  /// Rates in 1/s, in [0, 1e6]: v' = v / (1 + rate dt).
  void set_damping(BodyId body, double linear, double angular);
  /// Factor on gravity, in [-1e6, 1e6]; 0 floats.
  void set_gravity_scale(BodyId body, double scale);
  /// Bits of LockedAxes.
  void set_locked_axes(BodyId body, std::uint32_t axes);
  /// Whether the body meets what is on its way within a step (continuous collision). Wakes nothing.
  void set_continuous(BodyId body, bool continuous);
  /// A body that may not sleep keeps its whole island awake.
  void set_may_sleep(BodyId body, bool may_sleep);
  /// Wakes the body of the shape; contacts have the new numbers from the next step on.
  void set_material(ShapeId shape, const Material& material);
  /// Layer and mask, see ShapeDef.
  void set_filter(ShapeId shape, std::uint32_t layer, std::uint32_t mask);
  /// What the shape was made from. The reference is valid until shapes are added or removed.
  const ShapeDef& shape_def(ShapeId shape) const;
  /// The body that a shape belongs to.
  BodyId body_of(ShapeId shape) const;

  // Forces act during the next step only, all its sub-steps; impulses change the velocity at once. World axes. Refused
  // for fixed and kinematic bodies, and where sums or velocities leave their range (1e15 N, 1e6 m/s). They wake the
  // body.

  /// N, at the centre of mass. Several calls add up.
  void add_force(BodyId body, const Vec3& force);
  /// N, at a point of the world (m).
  void add_force_at(BodyId body, const Vec3& force, const Vec3& point);
  /// N m.
  void add_torque(BodyId body, const Vec3& torque);
  /// N s, at the centre of mass.
  void add_impulse(BodyId body, const Vec3& impulse);
  /// N s, at a point of the world (m).
  void add_impulse_at(BodyId body, const Vec3& impulse, const Vec3& point);
  /// N m s.
  void add_angular_impulse(BodyId body, const Vec3& impulse);

  /// Wakes a body, and with the next step its island.
  void wake(BodyId body);
  /// Lets a quarantined body move again, from where it was frozen.
  void release(BodyId body);
  /// Whether two bodies collide with each other. Those that a joint connects do not, unless it says so.
  void set_collision(BodyId a, BodyId b, bool enabled);

  // Joints. Removing a body removes its joints; one that breaks is removed after the step and named in its report.

  /// Adds a joint and returns its handle. Refused: a null body_b, a body joined to itself, numbers out of range, and a
  /// solver that takes no joints.
  JointId add_joint(const JointDef& def);
  /// Wakes the bodies. Inside the listener it waits for the last event.
  void remove_joint(JointId joint);
  /// Other numbers for a joint that keeps its bodies and its kind: limits, drives, frames, breaking forces.
  void set_joint(JointId joint, const JointDef& def);
  /// A joint that is not enabled holds nothing.
  void set_joint_enabled(JointId joint, bool enabled);
  /// Whether the handle names a joint of this world that was neither removed nor broke.
  bool contains(JointId joint) const;
  /// Live joints by the index of their handles.
  std::vector<JointId> joints() const;
  /// The definition in force. The reference is valid until joints are added or removed.
  const JointDef& joint_def(JointId joint) const;
  /// Coordinates and errors as the bodies are now, forces of the last step.
  JointView view(JointId joint) const;
  /// A definition whose frames coincide at `where` (world) with the bodies as they are now; null for body_a: the world.
  JointDef joint_at(BodyId body_a, BodyId body_b, const Pose& where, const JointKind& kind) const;

  // Contacts.

  /// Called for every event after each step (events.h); an empty function: nobody. Refused inside the listener.
  void set_contact_listener(ContactListener listener);
  /// Asked before every sub-step which pairs may touch (events.h); an empty function: all. Snapshots do not have it,
  /// and restore keeps it. A world with a filter looks at every pair in every step, also of bodies that rest. Refused
  /// inside a step.
  void set_contact_filter(ContactFilter filter);
  /// Of the last step, in the order in which the listener gets them.
  std::span<const ContactEvent> events() const;
  /// All contact points of the last step, those of sleeping bodies included, in the order of their pairs of shapes.
  std::vector<ContactView> contacts() const;
  /// Islands and mass-splitting shares per body, as the last step found them.
  BodyGroups groups() const;

  // The last step as a value.

  /// The problem of the last step, and what the solver made of it. A solver in lanes (soft_step) does not need contacts
  /// in double: where they were not made, they are made on request, which InputError refuses once the world was edited.
  /// Not for two threads at once.
  const ContactProblem& problem() const;
  const ContactSolution& solution() const;
  /// Per contact of the problem, the colour it was given to the solver with (SolveContext::contact_colour).
  std::span<const std::int32_t> contact_colours() const;
  /// From now on every step makes its problem and solution whole, so that edits do not matter. Changes no result.
  void keep_problem(bool keep);
  /// From now on the impulses that a solve begins from are kept for `warm_start`, and the problem too.
  void keep_warm_start(bool keep);
  /// Of the last step, impulses only; empty unless kept.
  const ContactSolution& warm_start() const;

  // Queries see the world as it is now, and may be made by several threads at once. InputError for numbers that are not
  // finite, a direction of length zero, and half-spaces, meshes and height fields as the shape that is asked about.

  /// The first shape on a ray, or none. The direction need not be unit; `length` in metres. A ray that begins inside a
  /// solid shape hits it at distance 0.
  std::optional<WorldHit> cast_ray(const Vec3& origin, const Vec3& direction, double length,
                                   const QueryFilter& filter = {}) const;
  /// All shapes on a ray, each once, by distance, then by shape.
  std::vector<WorldHit> cast_ray_all(const Vec3& origin, const Vec3& direction, double length,
                                     const QueryFilter& filter = {}) const;
  /// The first shape that a solid shape at `pose` meets when it is moved by `translation` (m), without turning.
  std::optional<WorldHit> cast_shape(const Shape& shape, const Pose& pose, const Vec3& translation,
                                     const QueryFilter& filter = {}) const;
  /// All shapes that it would meet if nothing stopped it, by distance, then by shape.
  std::vector<WorldHit> cast_shape_all(const Shape& shape, const Pose& pose, const Vec3& translation,
                                       const QueryFilter& filter = {}) const;
  /// Batches, on the threads of the world: hits[i] is what the single call would say of rays[i] or casts[i].
  void cast_rays(std::span<const RayCast> rays, std::span<std::optional<WorldHit>> hits,
                 const QueryFilter& filter = {}) const;
  void cast_rays_all(std::span<const RayCast> rays, HitLists& hits, const QueryFilter& filter = {}) const;
  void cast_shapes(std::span<const ShapeCast> casts, std::span<std::optional<WorldHit>> hits,
                   const QueryFilter& filter = {}) const;
  void cast_shapes_all(std::span<const ShapeCast> casts, HitLists& hits, const QueryFilter& filter = {}) const;
  /// Shapes that overlap a solid shape at `pose`, by the index of their handles.
  std::vector<ShapeId> overlap_shape(const Shape& shape, const Pose& pose, const QueryFilter& filter = {}) const;
  /// Shapes whose bounding boxes overlap a box of the world.
  std::vector<ShapeId> overlap_box(const Aabb& box, const QueryFilter& filter = {}) const;

  // Whole states.

  /// Poses and velocities of all bodies, bit for bit.
  Hash128 state_hash() const;
  /// Bodies, shapes and joints: what they are, where they stand, how they move; not the settings. Tells a world that
  /// was just made from another one.
  Hash128 definition_hash() const;
  /// Everything that decides the future, warm starts included, as bytes.
  std::string save() const;
  /// Replaces this world by a saved one, or explains why not; then nothing has changed. Threads and listener stay.
  std::optional<Error> restore(const std::string& snapshot);

 private:
  void deliver_events();
  template <class Cast>
  void fill_lists(std::span<const Cast> casts, HitLists& hits, const QueryFilter& filter) const;
  std::unique_ptr<WorldState> state_;
};

}  // namespace cairn
