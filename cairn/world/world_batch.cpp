// SPDX-License-Identifier: MIT
#include "cairn/world/world_batch.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "cairn/core/index.h"

namespace cairn {

namespace {

constexpr std::int64_t kWorldGrain = 4;  // a step of a small world takes some ten microseconds

constexpr std::size_t width_of(ActionKind kind) {
  return kind == ActionKind::body_force || kind == ActionKind::body_torque ? 3 : 1;
}

constexpr std::size_t width_of(ObservationKind kind) {
  switch (kind) {
    case ObservationKind::joint_position:
    case ObservationKind::joint_speed: return 1;
    case ObservationKind::body_orientation: return 4;
    default: return 3;
  }
}

constexpr bool names_joint(ActionKind kind) { return width_of(kind) == 1; }
constexpr bool names_joint(ObservationKind kind) { return width_of(kind) == 1; }

/// The axis along or about which a joint moves; none for kinds with none or several.
JointAxis* moving_axis(JointKind& kind) {
  if (auto* hinge = std::get_if<HingeJoint>(&kind)) return &hinge->turn;
  if (auto* prismatic = std::get_if<PrismaticJoint>(&kind)) return &prismatic->slide;
  return nullptr;
}

/// The joint as the bodies are now.
struct PlacedJoint {
  BodyView a, b;
  bool has_a = false, is_hinge = false;
  Vec3 axis;   ///< x of frame a, world
  Vec3 point;  ///< of frame b, world
};

PlacedJoint placed(const World& world, const JointDef& def) {
  PlacedJoint at;
  at.has_a = world.contains(def.body_a);
  if (at.has_a) at.a = world.view(def.body_a);
  at.b = world.view(def.body_b);
  at.is_hinge = std::holds_alternative<HingeJoint>(def.kind);
  const Pose frame_a = at.has_a ? at.a.pose * def.frame_a : def.frame_a;
  at.axis = rotate(frame_a.orientation, {1, 0, 0});
  at.point = transform(at.b.pose, def.frame_b.position);
  return at;
}

Vec3 point_velocity(const BodyView& body, const Vec3& point) {
  return body.velocity.linear + cross(body.velocity.angular, point - body.centre);
}

/// Hinge: x . (w_b - w_a). Prismatic: x . (v_b - v_a), both at the point of b, which turns with a.
double joint_speed(const World& world, const JointDef& def) {
  const PlacedJoint at = placed(world, def);
  if (at.is_hinge) return dot(at.axis, at.b.velocity.angular - at.a.velocity.angular);
  const Vec3 of_a = at.has_a ? point_velocity(at.a, at.point) : Vec3{};
  return dot(at.axis, point_velocity(at.b, at.point) - of_a);
}

void push_joint(World& world, const JointDef& def, double force) {
  const PlacedJoint at = placed(world, def);
  const auto push = [&](BodyId body, const BodyView& view, const Vec3& f) {
    if (view.kind != BodyKind::dynamic) return;
    if (at.is_hinge)
      world.add_torque(body, f);
    else
      world.add_force_at(body, f, at.point);
  };
  push(def.body_b, at.b, force * at.axis);
  if (at.has_a) push(def.body_a, at.a, -force * at.axis);
}

template <class Channel>
void check_channel(const World& world, const Channel& channel) {
  if (!names_joint(channel.kind)) {
    require(world.contains(channel.body), "a channel names a body that the world does not have");
    return;
  }
  require(world.contains(channel.joint), "a channel names a joint that the world does not have");
  JointKind kind = world.joint_def(channel.joint).kind;
  require(moving_axis(kind) != nullptr,
          "a channel names a joint that is neither a hinge nor prismatic: observe or push its bodies instead");
}

void check_action(const World& world, const ActionChannel& channel) {
  check_channel(world, channel);
  if (!names_joint(channel.kind)) {
    require(world.view(channel.body).kind == BodyKind::dynamic, "an action pushes a body that is not dynamic");
    return;
  }
  JointKind kind = world.joint_def(channel.joint).kind;
  const DriveKind drive = moving_axis(kind)->drive.kind;
  require(channel.kind != ActionKind::joint_position || drive == DriveKind::position,
          "an action sets the position of a joint without a drive of the kind position: give it one");
  require(channel.kind != ActionKind::joint_speed || drive == DriveKind::velocity,
          "an action sets the speed of a joint without a drive of the kind velocity: give it one");
}

/// What lasts until the next action: targets of drives.
void set_target(World& world, const ActionChannel& channel, double value) {
  JointDef def = world.joint_def(channel.joint);
  AxisDrive& drive = moving_axis(def.kind)->drive;
  double& target = channel.kind == ActionKind::joint_position ? drive.position : drive.speed;
  if (target == value) return;
  target = value;
  world.set_joint(channel.joint, def);
}

/// What acts for one step.
void push(World& world, const ActionChannel& channel, const double* value) {
  switch (channel.kind) {
    case ActionKind::joint_force: push_joint(world, world.joint_def(channel.joint), *value); break;
    case ActionKind::body_force: world.add_force(channel.body, {value[0], value[1], value[2]}); break;
    case ActionKind::body_torque: world.add_torque(channel.body, {value[0], value[1], value[2]}); break;
    default: break;
  }
}

double joint_position(const World& world, JointId joint) {
  const JointView view = world.view(joint);
  return std::holds_alternative<HingeJoint>(world.joint_def(joint).kind) ? view.turn.x : view.slide.x;
}

void observe_body(const BodyView& view, ObservationKind kind, double* out) {
  const auto write = [&](const Vec3& v) { out[0] = v.x, out[1] = v.y, out[2] = v.z; };
  const Quat& q = view.pose.orientation;
  switch (kind) {
    case ObservationKind::body_position: write(view.pose.position); break;
    case ObservationKind::body_orientation: out[0] = q.w, out[1] = q.x, out[2] = q.y, out[3] = q.z; break;
    case ObservationKind::body_linear_velocity: write(view.velocity.linear); break;
    default: write(view.velocity.angular); break;
  }
}

void observe_channel(const World& world, const ObservationChannel& channel, double* out) {
  switch (channel.kind) {
    case ObservationKind::joint_position: *out = joint_position(world, channel.joint); break;
    case ObservationKind::joint_speed: *out = joint_speed(world, world.joint_def(channel.joint)); break;
    default: observe_body(world.view(channel.body), channel.kind, out); break;
  }
}

}  // namespace

const char* to_string(ActionKind kind) {
  constexpr const char* kNames[] = {"joint_position", "joint_speed", "joint_force", "body_force", "body_torque"};
  return kNames[static_cast<int>(kind)];
}

const char* to_string(ObservationKind kind) {
  constexpr const char* kNames[] = {"joint_position",   "joint_speed",          "body_position",
                                    "body_orientation", "body_linear_velocity", "body_angular_velocity"};
  return kNames[static_cast<int>(kind)];
}

template <class Work>
void WorldBatch::for_each_world(Work&& work) const {
  std::vector<std::optional<Error>> errors(size());
  for_each_index(pool_.get(), size(), kWorldGrain, [&](std::size_t i) {
    try {
      work(i);
    } catch (const InputError& error) {
      errors[i] = Error{error.kind(), error.what()};
    }
  });
  const auto first = std::find_if(errors.begin(), errors.end(), [](const auto& error) { return error.has_value(); });
  if (first == errors.end()) return;
  fail_input(fmt::format("world {} of the batch: {}", first - errors.begin(), (*first)->message), (*first)->kind);
}

WorldBatch::WorldBatch(std::vector<World> worlds, BatchChannels channels, int threads)
    : worlds_(std::move(worlds)), start_(worlds_.size()), channels_(std::move(channels)), pool_(make_pool(threads)) {
  for (const ActionChannel& channel : channels_.actions) action_size_ += width_of(channel.kind);
  for (const ObservationChannel& channel : channels_.observations) observation_size_ += width_of(channel.kind);
  for_each_world([&](std::size_t i) {
    const World& world = worlds_[i];
    require(world.settings().threads == 1, "it has threads of its own: worlds of a batch need threads = 1");
    for (const ActionChannel& channel : channels_.actions) check_action(world, channel);
    for (const ObservationChannel& channel : channels_.observations) check_channel(world, channel);
    start_[i] = world.save();
  });
}

World& WorldBatch::world(std::size_t i) {
  if (i >= size()) fail_input(fmt::format("there is no world {} in a batch of {}", i, size()));
  return worlds_[i];
}
const World& WorldBatch::world(std::size_t i) const { return const_cast<WorldBatch*>(this)->world(i); }

void WorldBatch::act(World& world, const double* action) const {
  for (const ActionChannel& channel : channels_.actions) {
    if (channel.kind == ActionKind::joint_position || channel.kind == ActionKind::joint_speed)
      set_target(world, channel, *action);
    else
      push(world, channel, action);
    action += width_of(channel.kind);
  }
}

void WorldBatch::step(double dt, std::span<const double> actions, int repeats) {
  if (!actions.empty() && actions.size() != size() * action_size_)
    fail_input(
        fmt::format("{} numbers are no actions for {} worlds: each takes {}", actions.size(), size(), action_size_));
  require(repeats >= 1, "a batch makes at least one step for an action");
  for_each_world([&](std::size_t i) {
    for (int k = 0; k < repeats; ++k) {
      if (!actions.empty()) act(worlds_[i], actions.data() + i * action_size_);
      worlds_[i].step(dt);
    }
  });
}

void WorldBatch::observe(std::span<double> out) const {
  if (out.size() != size() * observation_size_)
    fail_input(fmt::format("{} numbers cannot hold the observations of {} worlds: each has {}", out.size(), size(),
                           observation_size_));
  for_each_world([&](std::size_t i) {
    double* here = out.data() + i * observation_size_;
    for (const ObservationChannel& channel : channels_.observations) {
      observe_channel(worlds_[i], channel, here);
      here += width_of(channel.kind);
    }
  });
}

void WorldBatch::reset(std::span<const std::uint8_t> which) {
  if (!which.empty() && which.size() != size())
    fail_input(fmt::format("{} flags do not say which of {} worlds are reset", which.size(), size()));
  for_each_world([&](std::size_t i) {
    if (!which.empty() && which[i] == 0) return;
    if (const std::optional<Error> error = worlds_[i].restore(start_[i])) throw InputError(*error);
  });
}

void WorldBatch::reset_to(std::size_t i, const std::string& snapshot) {
  if (const std::optional<Error> error = world(i).restore(snapshot)) throw InputError(*error);
  start_[i] = snapshot;
}

}  // namespace cairn
