// SPDX-License-Identifier: MIT
// Calls on bodies, shapes and joints.
#include <fmt/core.h>

#include "cairn/core/index.h"
#include "tests/fuzz/player.h"

namespace cairn::fuzz {

std::string Player::add_body(const Call& call, Draw& draw) {
  BodyDef def;
  std::vector<ShapeDef> shapes;
  if (call.verb == Verb::add_floor) {
    def.kind = BodyKind::fixed;
    shapes.push_back({.shape = make_half_space({0, 0, 1}, 0), .material = draw_material(draw)});
    if (draw.chance(0.2)) shapes[0].shape = draw_surface(draw);
  } else {
    def = draw_body(draw);
    const int count = draw.chance(0.85) ? 1 : def.mass ? draw.below(3) : 2;
    for (int k = 0; k < count; ++k) shapes.push_back(draw_shape(draw, def.kind != BodyKind::dynamic));
  }
  std::string text;
  for (const ShapeDef& shape : shapes)
    text +=
        fmt::format(", {} ({}{})", text_of(shape.shape), text_of(shape.material), shape.layer != 1 ? ", layer 2" : "");
  say("body {} = add_body({}{})", call.body, text_of(def), text);
  const BodyId body = world_.add_body(def, shapes);
  course_.bodies[call.body] = body;
  return fmt::format("body {} {}", body.index, body.generation);
}

std::string Player::change_body(const Call& call, BodyId body, Draw& draw) {
  const int name = call.body;
  switch (call.verb) {
    case Verb::remove_body: say("remove_body({})", name), world_.remove_body(body); break;
    case Verb::add_shape: {
      const ShapeDef def = draw_shape(draw, world_.view(body).kind != BodyKind::dynamic);
      say("add_shape({}, {})", name, text_of(def.shape));
      const ShapeId shape = world_.add_shape(body, def);
      return fmt::format("shape {} {}", shape.index, shape.generation);
    }
    case Verb::set_pose: {
      const Pose pose = draw_pose(draw);
      say("set_pose({}, {})", name, text_of(pose.position)), world_.set_pose(body, pose);
      break;
    }
    case Verb::set_velocity: {
      const Velocity v = draw_velocity(draw);
      say("set_velocity({}, {} {})", name, text_of(v.linear), text_of(v.angular)), world_.set_velocity(body, v);
      break;
    }
    case Verb::set_kind: {
      const int kind = draw.below(3);
      say("set_kind({}, {})", name, kind), world_.set_kind(body, static_cast<BodyKind>(kind));
      break;
    }
    case Verb::set_mass: {
      const MassProperties mass = draw_mass(draw);
      say("set_mass({}, {:.3g} kg)", name, mass.mass), world_.set_mass(body, mass);
      break;
    }
    case Verb::set_damping: {
      const double linear = draw.between(0, 3), angular = draw.chance(0.1) ? 1e6 : draw.between(0, 3);
      say("set_damping({}, {:.2g}, {:.2g})", name, linear, angular), world_.set_damping(body, linear, angular);
      break;
    }
    case Verb::set_gravity_scale: {
      const double scale = draw.between(-1, 2);
      say("set_gravity_scale({}, {:.2g})", name, scale), world_.set_gravity_scale(body, scale);
      break;
    }
    case Verb::set_locked_axes: {
      const auto axes = draw.chance(0.3) ? 0u : static_cast<std::uint32_t>(draw.below(64));
      say("set_locked_axes({}, {})", name, axes), world_.set_locked_axes(body, axes);
      break;
    }
    case Verb::set_continuous: say("set_continuous({}, true)", name), world_.set_continuous(body, true); break;
    case Verb::set_may_sleep: {
      const bool may = draw.chance(0.5);
      say("set_may_sleep({}, {})", name, may), world_.set_may_sleep(body, may);
      break;
    }
    case Verb::set_collision: {
      const auto other = course_.bodies.find(call.other);
      if (other == course_.bodies.end()) return "left out";
      const bool on = draw.chance(0.3);
      say("set_collision({}, {}, {})", name, call.other, on), world_.set_collision(body, other->second, on);
      break;
    }
    case Verb::push: push(name, body, draw); break;
    case Verb::wake: say("wake({})", name), world_.wake(body); break;
    default: say("release({})", name), world_.release(body); break;
  }
  return "done";
}

void Player::push(int name, BodyId body, Draw& draw) {
  const double size = draw.chance(0.9) ? draw.decades(0, 4) : draw.decades(4, 14);
  const Vec3 force = draw.vector(size), point = draw.vector(2);
  const int kind = draw.below(6);
  constexpr const char* kNames[] = {"add_force",   "add_force_at",   "add_torque",
                                    "add_impulse", "add_impulse_at", "add_angular_impulse"};
  say("{}({}, {})", kNames[kind], name, text_of(force));
  switch (kind) {
    case 0: return world_.add_force(body, force);
    case 1: return world_.add_force_at(body, force, point);
    case 2: return world_.add_torque(body, force);
    case 3: return world_.add_impulse(body, 0.1 * force);
    case 4: return world_.add_impulse_at(body, 0.1 * force, point);
    default: return world_.add_angular_impulse(body, 0.01 * force);
  }
}

std::string Player::change_shape(const Call& call, BodyId body, Draw& draw) {
  const std::vector<ShapeId> shapes = world_.shapes_of(body);
  if (shapes.empty()) return "no shape";
  const int at = draw.below(static_cast<int>(shapes.size()));
  const ShapeId shape = shapes[to_index(at)];
  if (call.verb == Verb::remove_shape) {
    say("remove_shape({} of body {})", at, call.body), world_.remove_shape(shape);
  } else if (call.verb == Verb::set_material) {
    const Material material = draw_material(draw);
    say("set_material({} of body {}, {})", at, call.body, text_of(material)), world_.set_material(shape, material);
  } else {
    const std::uint32_t layer = draw.one_of({1u, 2u}), mask = draw.one_of({0xffffffffu, 1u, 2u, 0u});
    say("set_filter({} of body {}, {}, {})", at, call.body, layer, mask), world_.set_filter(shape, layer, mask);
  }
  return "done";
}

namespace {

/// Two wheels with parallel axes whose rims meet halfway between their centres.
JointDef gear_between(const World& world, BodyId a, BodyId b) {
  const BodyView first = world.view(a), second = world.view(b);
  const Vec3 way = second.centre - first.centre;
  const Vec3 axis = make_frame(normalised(way + Vec3{1e-3, 0, 0})).tangent1;
  const Pose frame_a = frame_along(first.centre, axis), frame_b{second.centre, frame_a.orientation};
  JointDef def;
  def.body_a = a, def.body_b = b;
  def.frame_a = inverse(first.pose) * frame_a, def.frame_b = inverse(second.pose) * frame_b;
  def.kind = make_gear(frame_a, frame_b, {}, 0.5 * (first.centre + second.centre));
  return def;
}

}  // namespace

std::string Player::add_joint(const Call& call, Draw& draw) {
  const auto b = course_.bodies.find(call.body), a = course_.bodies.find(call.other);
  if (b == course_.bodies.end() || (call.other >= 0 && a == course_.bodies.end())) return "left out";
  const BodyId first = call.other < 0 ? BodyId{} : a->second;
  JointDef def;
  if (call.verb == Verb::add_gear && call.other >= 0) {
    def = gear_between(world_, first, b->second);
  } else {
    const Vec3 at = world_.view(b->second).centre + draw.vector(0.3);
    def = world_.joint_at(first, b->second, frame_along(at, draw.vector(1) + Vec3{0, 0, 1.1}), draw_joint_kind(draw));
  }
  draw_joint_extras(draw, def);
  say("joint {} = add_joint({} and {}: {})", call.joint, call.other < 0 ? "world" : std::to_string(call.other),
      call.body, text_of(def));
  const JointId joint = world_.add_joint(def);
  course_.joints[call.joint] = joint;
  return fmt::format("joint {} {}", joint.index, joint.generation);
}

std::string Player::act_on_joint(const Call& call, Draw& draw) {
  if (call.verb == Verb::add_joint || call.verb == Verb::add_gear) return add_joint(call, draw);
  const auto found = course_.joints.find(call.joint);
  if (found == course_.joints.end()) return "left out";
  const JointId joint = found->second;
  if (call.verb == Verb::remove_joint) {
    say("remove_joint({})", call.joint), world_.remove_joint(joint);
  } else if (call.verb == Verb::enable_joint) {
    const bool on = draw.chance(0.4);
    say("set_joint_enabled({}, {})", call.joint, on), world_.set_joint_enabled(joint, on);
  } else {
    JointDef def = world_.joint_def(joint);
    for (int k = 0; k < 40; ++k)
      if (JointKind kind = draw_joint_kind(draw); kind.index() == def.kind.index()) {
        def.kind = kind;
        break;
      }
    draw_joint_extras(draw, def);
    say("set_joint({}, {})", call.joint, text_of(def)), world_.set_joint(joint, def);
  }
  return "done";
}

}  // namespace cairn::fuzz
