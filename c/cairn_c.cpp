// SPDX-License-Identifier: MIT
// The C interface: checks pointers and sizes, calls World, and turns exceptions into a status and a message.
#include "c/cairn_c.h"

#include <cstring>
#include <string>
#include <vector>

#include "cairn/cairn.h"

using namespace cairn;

struct CairnWorld {
  World world;
};
struct CairnShape {
  ShapeDef def;
};

namespace {

thread_local std::string last_error;

CairnStatus fail(CairnStatus status, const char* message) {
  last_error = message;
  return status;
}

CairnStatus status_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::io: return CAIRN_IO;
    case ErrorKind::limit: return CAIRN_LIMIT;
    case ErrorKind::unsupported: return CAIRN_UNSUPPORTED;
    default: return CAIRN_BAD_INPUT;
  }
}

/// Runs `work`; nothing that it throws leaves this library.
template <class Work>
CairnStatus guarded(Work&& work) noexcept {
  try {
    work();
    return CAIRN_OK;
  } catch (const InputError& error) {
    return fail(status_of(error.kind()), error.what());
  } catch (const std::exception& error) {
    return fail(CAIRN_FAILED, error.what());
  } catch (...) {
    return fail(CAIRN_FAILED, "an unknown exception");
  }
}

/// A pointer that was given.
template <class T>
T& given(T* pointer) {
  require(pointer != nullptr, "a pointer that must name something is NULL");
  return *pointer;
}

/// A struct of the caller, whose size says that it is one of ours and not of an older header.
template <class T>
const T& sized(const T* pointer) {
  require(given(pointer).size == sizeof(T),
          "a struct has a size that is not its own: begin with cairn_settings(), "
          "cairn_body_def() or cairn_joint_def() of the same header");
  return *pointer;
}

Vec3 vector(const double* v) { return {given(v), v[1], v[2]}; }
Quat quaternion(const double* q) { return {given(q), q[1], q[2], q[3]}; }
void write(const Vec3& v, double* out) { out[0] = v.x, out[1] = v.y, out[2] = v.z; }
void write(const Quat& q, double* out) { out[0] = q.w, out[1] = q.x, out[2] = q.y, out[3] = q.z; }
BodyId id_of(CairnBody body) { return {body.index, body.generation}; }
JointId id_of(CairnJoint joint) { return {joint.index, joint.generation}; }
CairnBody handle_of(BodyId id) { return {id.index, id.generation}; }

CairnStatus make_shape(CairnShape** out, auto&& make) {
  return guarded([&] {
    CairnShape*& shape = given(out);  // asked first: what is made for nobody would leak
    shape = new CairnShape{ShapeDef{.shape = make()}};
  });
}

WorldSettings settings_of(const CairnSettings& given) {
  WorldSettings settings;
  settings.gravity = vector(given.gravity);
  if (given.solver != nullptr) settings.solver = given.solver;
  settings.iterations = given.iterations;
  settings.threads = given.threads;
  settings.sleep.enabled = given.sleep != 0;
  return settings;
}

BodyDef body_of(const CairnBodyDef& given) {
  require(given.kind >= CAIRN_DYNAMIC && given.kind <= CAIRN_KINEMATIC, "the kind of a body is none of CairnBodyKind");
  BodyDef def;
  def.kind = static_cast<BodyKind>(given.kind);
  def.pose = {vector(given.position), quaternion(given.orientation)};
  def.velocity = {vector(given.linear_velocity), vector(given.angular_velocity)};
  def.linear_damping = given.linear_damping, def.angular_damping = given.angular_damping;
  def.gravity_scale = given.gravity_scale;
  def.continuous = given.continuous != 0;
  def.user = given.user;
  return def;
}

JointKind joint_kind(const CairnJointDef& given) {
  JointAxis axis;
  if (given.lower != given.upper) axis.motion = AxisMotion::limited, axis.lower = given.lower, axis.upper = given.upper;
  if (given.drive_max_force != 0)
    axis.drive = {.kind = DriveKind::velocity, .speed = given.drive_speed, .max_force = given.drive_max_force};
  switch (given.kind) {
    case CAIRN_BALL: return BallJoint{};
    case CAIRN_HINGE: return HingeJoint{axis};
    case CAIRN_PRISMATIC: return PrismaticJoint{axis};
    case CAIRN_WELD: return FixedJoint{};
    default: fail_input("the kind of a joint is none of CairnJointKind");
  }
}

void write_report(const StepReport& report, CairnReport& out) {
  out = {report.step,           report.contacts,       report.islands,          report.time,
         report.solve.residual, report.kinetic_energy, report.potential_energy, report.max_overlap};
}

CairnContactEvent event_of(const ContactEvent& event) {
  CairnContactEvent out{};
  out.kind = static_cast<int32_t>(event.kind);
  out.body_a = handle_of(event.body_a), out.body_b = handle_of(event.body_b);
  write(event.point, out.point), write(event.normal, out.normal);
  out.impulse = event.impulse;
  return out;
}

}  // namespace

const char* cairn_version(void) { return CAIRN_VERSION; }
int32_t cairn_c_version(void) { return CAIRN_C_VERSION; }
const char* cairn_error(void) { return last_error.c_str(); }

CairnSettings cairn_settings(void) {
  const WorldSettings defaults;
  CairnSettings settings{};
  settings.size = sizeof settings;
  write(defaults.gravity, settings.gravity);
  settings.iterations = defaults.iterations, settings.threads = defaults.threads;
  return settings;
}

CairnBodyDef cairn_body_def(void) {
  CairnBodyDef def{};
  def.size = sizeof def;
  def.orientation[0] = 1;
  def.gravity_scale = 1;
  return def;
}

CairnJointDef cairn_joint_def(void) {
  CairnJointDef def{};
  def.size = sizeof def;
  def.kind = CAIRN_HINGE;
  def.body_a = def.body_b = cairn_no_body();
  def.axis[0] = 1;
  return def;
}

CairnBody cairn_no_body(void) { return handle_of(BodyId{}); }

CairnStatus cairn_world_create(const CairnSettings* settings, CairnWorld** out) {
  return guarded([&] {
    CairnWorld*& world = given(out);
    world = new CairnWorld{World(settings == nullptr ? WorldSettings{} : settings_of(sized(settings)))};
  });
}
void cairn_world_destroy(CairnWorld* world) { delete world; }

CairnStatus cairn_step(CairnWorld* world, double dt, CairnReport* report) {
  return guarded([&] {
    const StepReport& done = given(world).world.step(dt);
    if (report != nullptr) write_report(done, *report);
  });
}

CairnStatus cairn_set_listener(CairnWorld* world, CairnListener listener, void* user) {
  return guarded([&] {
    ContactListener call;
    if (listener != nullptr)
      call = [listener, user](const ContactEvent& event) {
        const CairnContactEvent told = event_of(event);
        listener(user, &told);
      };
    given(world).world.set_contact_listener(std::move(call));
  });
}

CairnStatus cairn_set_filter(CairnWorld* world, CairnFilter filter, void* user) {
  return guarded([&] {
    ContactFilter call;
    if (filter != nullptr)
      call = [filter, user](const ShapePair& pair) {
        return filter(user, handle_of(pair.body_a), handle_of(pair.body_b)) != 0;
      };
    given(world).world.set_contact_filter(std::move(call));
  });
}

CairnStatus cairn_sphere(double radius, CairnShape** out) {
  return make_shape(out, [&] { return make_sphere(radius); });
}
CairnStatus cairn_box(double half_x, double half_y, double half_z, CairnShape** out) {
  return make_shape(out, [&] { return make_box({half_x, half_y, half_z}); });
}
CairnStatus cairn_capsule(double radius, double half_length, CairnShape** out) {
  return make_shape(out, [&] { return make_capsule(radius, half_length); });
}
CairnStatus cairn_cylinder(double radius, double half_height, CairnShape** out) {
  return make_shape(out, [&] { return make_cylinder(radius, half_height); });
}
CairnStatus cairn_half_space(const double normal[3], double offset, CairnShape** out) {
  return make_shape(out, [&] { return make_half_space(vector(normal), offset); });
}
CairnStatus cairn_hull(const double* points, size_t count, CairnShape** out) {
  return make_shape(out, [&] {
    std::vector<Vec3> vectors;
    for (size_t i = 0; i < count; ++i) vectors.push_back(vector(&given(points) + 3 * i));
    return make_hull(vectors);
  });
}
CairnStatus cairn_shape_place(CairnShape* shape, const double position[3], const double orientation[4]) {
  return guarded([&] {
    given(shape).def.pose = {vector(position), orientation == nullptr ? Quat{} : quaternion(orientation)};
  });
}
CairnStatus cairn_shape_material(CairnShape* shape, double friction, double restitution, double density) {
  return guarded([&] {
    ShapeDef def = given(shape).def;
    def.material.friction = friction, def.material.restitution = restitution, def.density = density;
    check_shape_def(def);
    shape->def = def;
  });
}
void cairn_shape_destroy(CairnShape* shape) { delete shape; }

CairnStatus cairn_add_body(CairnWorld* world, const CairnBodyDef* def, const CairnShape* const* shapes, size_t count,
                           CairnBody* out) {
  return guarded([&] {
    std::vector<ShapeDef> defs;
    for (size_t i = 0; i < count; ++i) defs.push_back(given(*(&given(shapes) + i)).def);
    CairnBody& handle = given(out);
    handle = handle_of(given(world).world.add_body(body_of(sized(def)), defs));
  });
}
CairnStatus cairn_remove_body(CairnWorld* world, CairnBody body) {
  return guarded([&] { given(world).world.remove_body(id_of(body)); });
}

CairnStatus cairn_get_state(const CairnWorld* world, CairnBody body, CairnState* out) {
  return guarded([&] {
    const BodyView view = given(world).world.view(id_of(body));
    CairnState& state = given(out);
    write(view.pose.position, state.position), write(view.pose.orientation, state.orientation);
    write(view.velocity.linear, state.linear_velocity), write(view.velocity.angular, state.angular_velocity);
    state.mass = view.mass, state.asleep = view.asleep ? 1 : 0;
  });
}

CairnStatus cairn_get_arrays(const CairnWorld* world, CairnArrays* out) {
  return guarded([&] {
    const BodyArrays arrays = given(world).world.arrays();
    CairnArrays& result = given(out);
    result = {};
    result.count = arrays.pose.size();
    result.pose_stride = sizeof(Pose), result.velocity_stride = sizeof(Velocity);
    if (result.count == 0) return;
    result.position = &arrays.pose[0].position.x, result.orientation = &arrays.pose[0].orientation.w;
    result.linear_velocity = &arrays.velocity[0].linear.x, result.angular_velocity = &arrays.velocity[0].angular.x;
  });
}

CairnStatus cairn_set_pose(CairnWorld* world, CairnBody body, const double position[3], const double orientation[4]) {
  return guarded([&] { given(world).world.set_pose(id_of(body), {vector(position), quaternion(orientation)}); });
}
CairnStatus cairn_set_velocity(CairnWorld* world, CairnBody body, const double linear[3], const double angular[3]) {
  return guarded([&] { given(world).world.set_velocity(id_of(body), {vector(linear), vector(angular)}); });
}
CairnStatus cairn_add_force(CairnWorld* world, CairnBody body, const double force[3]) {
  return guarded([&] { given(world).world.add_force(id_of(body), vector(force)); });
}
CairnStatus cairn_add_impulse(CairnWorld* world, CairnBody body, const double impulse[3]) {
  return guarded([&] { given(world).world.add_impulse(id_of(body), vector(impulse)); });
}

CairnStatus cairn_add_joint(CairnWorld* world, const CairnJointDef* def, CairnJoint* out) {
  return guarded([&] {
    const CairnJointDef& from = sized(def);
    CairnJoint& handle = given(out);
    World& to = given(world).world;
    const Pose where = frame_along(vector(from.point), vector(from.axis));
    JointDef joint = to.joint_at(id_of(from.body_a), id_of(from.body_b), where, joint_kind(from));
    joint.user = from.user;
    const JointId id = to.add_joint(joint);
    handle = {id.index, id.generation};
  });
}
CairnStatus cairn_remove_joint(CairnWorld* world, CairnJoint joint) {
  return guarded([&] { given(world).world.remove_joint(id_of(joint)); });
}
CairnStatus cairn_joint_position(const CairnWorld* world, CairnJoint joint, double* out) {
  return guarded([&] {
    const World& from = given(world).world;
    const JointView view = from.view(id_of(joint));
    const JointKind& kind = from.joint_def(id_of(joint)).kind;
    require(std::holds_alternative<HingeJoint>(kind) || std::holds_alternative<PrismaticJoint>(kind),
            "only hinges and prismatic joints have one coordinate");
    given(out) = std::holds_alternative<HingeJoint>(kind) ? view.turn.x : view.slide.x;
  });
}

CairnStatus cairn_cast_ray(const CairnWorld* world, const CairnRay* ray, CairnHit* out) {
  return guarded([&] {
    const CairnRay& asked = given(ray);
    const auto hit = given(world).world.cast_ray(vector(asked.origin), vector(asked.direction), asked.length);
    CairnHit& told = given(out);
    told = {};
    if (!hit) return;
    told.any = 1, told.body = handle_of(hit->body), told.distance = hit->distance;
    write(hit->point, told.point), write(hit->normal, told.normal);
  });
}

CairnStatus cairn_save(const CairnWorld* world, void* out, size_t capacity, size_t* size) {
  return guarded([&] {
    const std::string bytes = given(world).world.save();
    given(size) = bytes.size();
    if (out == nullptr) return;
    require(bytes.size() <= capacity, "the state does not fit: call cairn_save with NULL first, which tells its size");
    std::memcpy(out, bytes.data(), bytes.size());
  });
}
CairnStatus cairn_restore(CairnWorld* world, const void* bytes, size_t size) {
  return guarded([&] {
    given(bytes == nullptr ? nullptr : world);
    const std::string text(static_cast<const char*>(bytes), size);
    if (const auto error = world->world.restore(text)) throw InputError(*error);
  });
}
CairnStatus cairn_state_hash(const CairnWorld* world, char out[33]) {
  return guarded([&] { std::memcpy(&given(out), given(world).world.state_hash().to_string().c_str(), 33); });
}
