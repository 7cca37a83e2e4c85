// SPDX-License-Identifier: MIT
#include "cairn/live/input.h"

#include <fmt/core.h>

#include "cairn/core/bytes.h"
#include "cairn/record/joint_reading.h"
#include "cairn/scenefile/scene_file.h"
#include "cairn/world/limits.h"

namespace cairn {

namespace {

constexpr double kMostShotSpeed = 1000, kMostShotRadius = 1000;  // m/s, m
constexpr double kMostFriction = 1e6;

std::optional<BodyId> apply(World& world, LiveHand& hand, const LiveDrag& drag) {
  check_drag(drag);
  require(world.contains(drag.body), "drag: there is no such body");
  require(world.view(drag.body).kind == BodyKind::dynamic, "drag: the body is fixed or kinematic");
  hand.drag = drag;
  return std::nullopt;
}

std::optional<BodyId> apply(World&, LiveHand& hand, const LiveRelease&) {
  hand.drag.reset();
  return std::nullopt;
}

std::optional<BodyId> apply(World& world, LiveHand&, const LiveShot& shot) {
  check_vector(shot.velocity, kMostShotSpeed, "shoot: velocity");
  if (!(shot.radius > 0 && shot.radius <= kMostShotRadius))
    fail_input(fmt::format("shoot: radius is {}, it must lie in (0, {:g}] m", shot.radius, kMostShotRadius));
  return world.add_body({.pose = {shot.origin}, .velocity = {shot.velocity, {}}, .continuous = true},
                        {{.shape = shot_shape(shot), .density = shot.density}});
}

std::optional<BodyId> apply(World& world, LiveHand& hand, const LiveRemoval& removal) {
  world.remove_body(removal.body);
  if (hand.drag && hand.drag->body == removal.body) hand.drag.reset();
  return std::nullopt;
}

std::optional<BodyId> apply(World& world, LiveHand& hand, const LiveChange& change) {
  check_dt(change.dt);
  world.set_settings(*change.settings);
  hand.dt = change.dt;
  return std::nullopt;
}

std::optional<BodyId> apply(World& world, LiveHand&, const LiveDrive& input) {
  require(world.contains(input.joint), "drive: there is no such joint");
  JointDef def = world.joint_def(input.joint);
  JointAxis* axis = axis_of(def.kind);
  require(axis != nullptr, "drive: only hinges and prismatic joints can be driven here");
  axis->drive = input.drive;
  world.set_joint(input.joint, def);
  return std::nullopt;
}

std::optional<BodyId> apply(World& world, LiveHand&, const LiveFriction& input) {
  if (!(input.friction >= 0 && input.friction <= kMostFriction))
    fail_input(fmt::format("friction is {}, it must lie in [0, {:g}]", input.friction, kMostFriction));
  for (const BodyId body : world.bodies())
    for (const ShapeId shape : world.shapes_of(body)) {
      Material material = world.shape_def(shape).material;
      material.friction = input.friction;
      material.static_friction = material.friction_across = -1;  // as friction
      world.set_material(shape, material);
    }
  return std::nullopt;
}

// One function says what is written and read, and in which order.

template <class A, class V>
void archive_vector(A& a, V& v) {
  a.number(v.x), a.number(v.y), a.number(v.z);
}

template <class A, class Id>
void archive_id(A& a, Id& id) {
  a.number(id.index), a.number(id.generation);
}

template <class A, class Drag>
void archive_drag(A& a, Drag& d) {
  archive_id(a, d.body), archive_vector(a, d.anchor), archive_vector(a, d.target);
  a.number(d.frequency), a.number(d.damping);
}

template <class A, class Shot>
void archive_shot(A& a, Shot& s) {
  archive_vector(a, s.origin), archive_vector(a, s.velocity);
  a.number(s.radius), a.number(s.density), a.number(s.form);
  require(s.form <= ShotForm::cone, "the form of a shot body is none");
}

template <class A, class Drive>
void archive_drive(A& a, Drive& d) {
  archive_id(a, d.joint);
  auto& x = d.drive;
  a.number(x.kind);
  require(x.kind <= DriveKind::position, "the kind of a drive is none");
  a.number(x.speed), a.number(x.position), a.number(x.stiffness), a.number(x.damping), a.number(x.max_force);
}

/// Settings as a scene file has them.
std::string text_of(const WorldSettings& settings) {
  SceneFile file;
  file.settings = settings;
  return write_scene(file);
}

struct Packer {
  ByteWriter& out;
  void operator()(const LiveDrag& x) const { archive_drag(out, x); }
  void operator()(const LiveRelease&) const {}
  void operator()(const LiveShot& x) const { archive_shot(out, x); }
  void operator()(const LiveRemoval& x) const { archive_id(out, x.body); }
  void operator()(const LiveChange& x) const { out.text(text_of(*x.settings)), out.number(x.dt); }
  void operator()(const LiveDrive& x) const { archive_drive(out, x); }
  void operator()(const LiveFriction& x) const { out.number(x.friction); }
};

struct Unpacker {
  ByteReader& in;
  void operator()(LiveDrag& x) const { archive_drag(in, x); }
  void operator()(LiveRelease&) const {}
  void operator()(LiveShot& x) const { archive_shot(in, x); }
  void operator()(LiveRemoval& x) const { archive_id(in, x.body); }
  void operator()(LiveChange& x) const {
    std::string text;
    in.text(text), in.number(x.dt);
    x.settings =
        std::make_shared<WorldSettings>(parse_scene(text, "settings of the run", "").value_or_throw().settings);
  }
  void operator()(LiveDrive& x) const { archive_drive(in, x); }
  void operator()(LiveFriction& x) const { in.number(x.friction); }
};

/// The k-th alternative, fresh.
template <std::size_t... I>
LiveInput fresh_input(std::size_t k, std::index_sequence<I...>) {
  LiveInput input;
  require(((k == I && (input.emplace<I>(), true)) || ...), "an input of the run is of no known kind");
  return input;
}

}  // namespace

Shape shot_shape(const LiveShot& shot) {
  const double r = shot.radius;
  switch (shot.form) {
    case ShotForm::sphere: break;
    case ShotForm::box: return make_box({0.8 * r, 0.8 * r, 0.8 * r});
    case ShotForm::capsule: return make_capsule(0.6 * r, 0.7 * r);
    case ShotForm::cylinder: return make_cylinder(0.8 * r, 0.8 * r);
    case ShotForm::cone: return make_cone(r, 1.6 * r);
  }
  return make_sphere(r);
}

void check_dt(double dt) {
  if (!is_step(dt))
    fail_input(fmt::format("dt is {}, it must lie in [{:g}, {:g}] seconds", dt, kShortestStep, kLongestStep));
}

std::optional<BodyId> apply_input(World& world, LiveHand& hand, const LiveInput& input) {
  return std::visit([&](const auto& x) { return apply(world, hand, x); }, input);
}

void step_with(World& world, const LiveHand& hand) {
  if (hand.drag) {
    const BodyView body = world.view(hand.drag->body);
    world.add_force_at(hand.drag->body, drag_force(body, *hand.drag, hand.dt), drag_point(body, *hand.drag));
  }
  world.step(hand.dt);
}

std::string pack_inputs(std::span<const LoggedInput> inputs) {
  ByteWriter out;
  out.size(inputs, 9);
  for (const LoggedInput& logged : inputs) {
    out.number(logged.step);
    out.number(static_cast<std::uint8_t>(logged.input.index()));
    std::visit(Packer{out}, logged.input);
  }
  return out.take();
}

std::vector<LoggedInput> unpack_inputs(const std::string& bytes) {
  std::vector<LoggedInput> inputs;
  if (bytes.empty()) return inputs;
  ByteReader in(bytes);
  inputs.resize(in.count(9));
  for (LoggedInput& logged : inputs) {
    in.number(logged.step);
    logged.input = fresh_input(in.get<std::uint8_t>(), std::make_index_sequence<std::variant_size_v<LiveInput>>());
    std::visit(Unpacker{in}, logged.input);
  }
  return inputs;
}

InputReplay::InputReplay(World world, double dt, std::vector<LoggedInput> inputs)
    : world_(std::move(world)), hand_{dt}, inputs_(std::move(inputs)) {
  check_dt(dt);
}

void InputReplay::step() {
  for (; next_ < inputs_.size() && inputs_[next_].step <= world_.step_count(); ++next_)
    if (const auto added = apply_input(world_, hand_, inputs_[next_].input)) added_.push_back(*added);
  step_with(world_, hand_);
}

}  // namespace cairn
