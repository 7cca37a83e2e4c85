// SPDX-License-Identifier: MIT
// Calls on the whole world: steps, listeners, questions, and calls that must be refused.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "cairn/core/index.h"
#include "tests/fuzz/player.h"

namespace cairn::fuzz {

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr const char* kListeners[] = {"none",           "removes bodies", "removes shapes",  "removes joints",
                                      "adds and kicks", "throws",         "calls forbidden", "reads"};

struct ListenerError : std::runtime_error {
  ListenerError() : std::runtime_error("thrown by the listener") {}
};

}  // namespace

void Player::apply_listener() {
  if (course_.listener == 0) return world_.set_contact_listener({});
  world_.set_contact_listener([this](const ContactEvent& event) { hear(event); });
}

std::string Player::listen(Draw& draw) {
  course_.listener = draw.below(static_cast<int>(std::size(kListeners)));
  say("set_contact_listener({})", kListeners[course_.listener]);
  apply_listener();
  return "listens";
}

/// Acts on every third event, by the event alone.
void Player::hear(const ContactEvent& event) {
  const auto key = event.shape_a.index + event.shape_b.index + static_cast<std::uint32_t>(world_.step_count());
  if (event.kind == ContactEventKind::end || key % 3 != 0) return;
  try {
    switch (course_.listener) {
      case 1: return world_.remove_body(event.body_b);
      case 2: return world_.remove_shape(event.shape_b);
      case 3:
        if (const std::vector<JointId> joints = world_.joints(); !joints.empty()) world_.remove_joint(joints.front());
        return;
      case 4:
        if (course_.made_by_listener++ < 4)
          world_.add_body({.pose = {event.point + Vec3{0, 0, 0.5}}}, {{.shape = make_sphere(0.1)}});
        if (world_.view(event.body_b).kind == BodyKind::dynamic) world_.add_impulse(event.body_b, {0, 1, 1});
        return;
      case 5: throw ListenerError();
      case 6: return try_forbidden();
      default: world_.contacts(), world_.bodies(), world_.events(); return;
    }
  } catch (const InputError&) {  // a second removal of the same, the last shape of a body
  }
}

void Player::try_forbidden() {
  const auto must_refuse = [](const char* what, const std::function<void()>& call) {
    try {
      call();
    } catch (const InputError&) {
      return;
    }
    throw Finding("a forbidden call goes through", fmt::format("{} was taken from inside the listener", what));
  };
  must_refuse("step()", [&] { world_.step(0.01); });
  must_refuse("save()", [&] { world_.save(); });
  must_refuse("set_settings()", [&] { world_.set_settings(world_.settings()); });
  must_refuse("set_contact_listener()", [&] { world_.set_contact_listener({}); });
  if (!world_.restore("")) throw Finding("a forbidden call goes through", "restore() was taken by the listener");
}

std::string Player::step(Draw& draw) {
  const double dt = draw_dt(draw);
  const int count = draw.chance(0.6) ? 1 : 1 + draw.below(6);
  say("step({:.6g}){}", dt, count > 1 ? fmt::format(" {} times", count) : "");
  std::string answer;
  for (int k = 0; k < count; ++k) {
    const std::int64_t before = world_.step_count();
    try {
      world_.step(dt);
      answer.clear();
    } catch (const ListenerError& error) {
      answer = error.what();
    }
    if (dt != 0 && world_.step_count() != before + 1) throw Finding("a step is lost", "step_count() did not go on");
    if (dt != 0) follow_events();
    check_state();
    // Not of a step that did nothing, and not where a listener may have edited since.
    if (flavour_.reads_problem && dt != 0 && course_.listener == 0) read_problem();
  }
  if (dt == 0) return "nothing to do";
  const StepReport& report = world_.last_report();
  say("    contacts {}, overlap {:.3g}, energy {:.4g}", report.contacts, report.max_overlap, report.kinetic_energy);
  return fmt::format("{} manifolds {} contacts {} islands {} asleep {} broken {} frozen {} events {}", answer,
                     report.manifolds, report.contacts, report.islands, report.sleeping_islands,
                     report.broken_joints.size(), report.quarantined.size(), world_.events().size());
}

/// For every pair of shapes: begin, end, begin, ..., whatever happens to their bodies.
void Player::follow_events() {
  std::vector<Pair>& touching = course_.touching;
  for (const ContactEvent& event : world_.events()) {
    if (event.kind == ContactEventKind::persist) continue;
    const Pair pair{event.shape_a, event.shape_b};
    const auto found = std::lower_bound(touching.begin(), touching.end(), pair);
    const bool known = found != touching.end() && *found == pair;
    if (known != (event.kind == ContactEventKind::end))
      throw Finding("events do not take turns", fmt::format("shapes {} and {} {} twice", pair.first.index,
                                                            pair.second.index, known ? "begin" : "end"));
    if (known)
      touching.erase(found);
    else
      touching.insert(found, pair);
  }
}

void Player::check_state() const {
  constexpr double kMostSpeed = 1e9, kMostPosition = 1e12;  // beyond them a body is quarantined
  const auto within = [](const Vec3& v, double most) {
    return std::fabs(v.x) <= most && std::fabs(v.y) <= most && std::fabs(v.z) <= most;  // false for NaN
  };
  for (const auto& id : world_.bodies()) {
    const BodyView view = world_.view(id);
    const double size = norm2(view.pose.orientation);
    const bool well = within(view.velocity.linear, kMostSpeed) && within(view.velocity.angular, kMostSpeed) &&
                      within(view.centre, kMostPosition) && is_finite(view.pose.position) && std::fabs(size - 1) < 1e-9;
    if (!well)
      throw Finding("a state has broken down",
                    fmt::format("slot {}: centre {}, velocity {} {}, orientation^2 {}, quarantined {}", id.index,
                                text_of(view.centre), text_of(view.velocity.linear), text_of(view.velocity.angular),
                                size, view.quarantined));
  }
  const StepReport& r = world_.last_report();
  const bool sane = std::isfinite(r.kinetic_energy) && std::isfinite(r.potential_energy) && r.max_overlap >= 0 &&
                    std::isfinite(r.max_overlap) && r.contacts >= 0 && r.awake_bodies >= 0 &&
                    r.awake_bodies <= r.bodies && r.time >= 0 && !std::isnan(r.solve.residual) &&
                    r.max_joint_error >= 0 && std::isfinite(r.max_joint_error);
  if (!sane)
    throw Finding(
        "a report makes no sense",
        fmt::format("kinetic {} potential {} overlap {} contacts {} awake {} of {} residual {} joint error {}",
                    r.kinetic_energy, r.potential_energy, r.max_overlap, r.contacts, r.awake_bodies, r.bodies,
                    r.solve.residual, r.max_joint_error));
}

/// The step as a value can be looked at, and its parts belong together.
void Player::read_problem() const {
  const ContactProblem& problem = world_.problem();
  const ContactSolution& solution = world_.solution();
  const bool whole = solution.contact_impulse.empty() || solution.contact_impulse.size() == problem.contacts.size();
  if (!whole || solution.velocity.size() != problem.bodies.size())
    throw Finding("problem and solution do not belong together",
                  fmt::format("{} bodies, {} velocities, {} contacts, {} impulses", problem.bodies.size(),
                              solution.velocity.size(), problem.contacts.size(), solution.contact_impulse.size()));
}

/// Rays find what asking every shape finds.
std::string Player::cast_rays(Draw& draw) {
  const Vec3 origin = draw.vector(3) + Vec3{0, 0, 2.5}, direction = normalised(draw.vector(1) + Vec3{1e-3, 0, 0});
  const double length = draw.between(0, 8);
  say("cast_ray_all({}, {}, {:.3g})", text_of(origin), text_of(direction), length);
  std::vector<ShapeId> found, expected;
  for (const WorldHit& hit : world_.cast_ray_all(origin, direction, length)) found.push_back(hit.shape);
  for (const BodyId body : world_.bodies())
    for (const ShapeId shape : world_.shapes_of(body)) {
      const Pose pose = world_.view(body).pose * world_.shape_def(shape).pose;
      if (ray(world_.shape_def(shape).shape, transform_back(pose, origin),
              normalised(rotate_back(pose.orientation, direction)), length))
        expected.push_back(shape);
    }
  HitLists batch;
  world_.cast_rays_all(std::vector<RayCast>(3, {origin, direction, length}), batch);
  const auto has_shape = [](const WorldHit& hit, ShapeId shape) { return hit.shape == shape; };
  if (!std::equal(batch[2].begin(), batch[2].end(), found.begin(), found.end(), has_shape))
    throw Finding("a batch differs", fmt::format("{} hits, {} for the ray alone", batch[2].size(), found.size()));
  std::sort(found.begin(), found.end()), std::sort(expected.begin(), expected.end());
  if (found != expected)
    throw Finding("a ray misses", fmt::format("{} shapes found, {} are on the ray", found.size(), expected.size()));
  return fmt::format("{} hits", found.size());
}

std::string Player::ask(Draw& draw) {
  if (draw.chance(0.5)) return cast_rays(draw);
  const Shape shape = draw_solid(draw);
  const Pose pose = draw_pose(draw);
  const Vec3 way = draw.vector(3);
  say("questions about {} at {}", text_of(shape), text_of(pose.position));
  double separations = 0;
  for (const JointId joint : world_.joints()) separations += world_.view(joint).separation;
  if (!std::isfinite(separations)) throw Finding("a joint's view is not finite", "its separation is none");
  const bool convex = has_support(shape);
  return fmt::format(
      "overlaps {} {} cast {} contacts {} groups {}", convex ? world_.overlap_shape(shape, pose).size() : 0,
      world_.overlap_box(bounds(shape, pose)).size(), convex ? world_.cast_shape_all(shape, pose, way).size() : 0,
      world_.contacts().size(), world_.groups().island.size());
}

namespace {

using Wrong = std::pair<const char*, std::function<void(World&, BodyId, Draw&)>>;

void set(World& world, const std::function<void(WorldSettings&)>& spoil) {
  WorldSettings settings = world.settings();
  spoil(settings);
  world.set_settings(settings);
}

/// A snapshot that was cut or changed somewhere.
void restore_damaged(World& world, Draw& draw) {
  std::string bytes = world.save();
  const auto at = to_index(draw.below(static_cast<int>(bytes.size())));
  if (draw.chance(0.5))
    bytes.resize(at);
  else
    bytes[at] = static_cast<char>(bytes[at] ^ (1 << draw.below(8)));
  if (const auto error = world.restore(bytes)) fail_input(error->message);
}

/// Calls that the world must refuse.
const std::vector<Wrong>& wrong_calls() {
  static const std::vector<Wrong> kCalls{
      {"set_pose(nan)",
       [](World& w, BodyId b, Draw&) {
         w.set_pose(b, {{kNan, 0, 0}});
       }},
      {"set_pose(no turn)",
       [](World& w, BodyId b, Draw&) {
         w.set_pose(b, {{}, {0.1, 0, 0, 0}});
       }},
      {"set_velocity(inf)",
       [](World& w, BodyId b, Draw&) {
         w.set_velocity(b, {{0, kUnlimited, 0}, {}});
       }},
      {"add_force(nan)",
       [](World& w, BodyId b, Draw&) {
         w.add_force(b, {0, 0, kNan});
       }},
      {"add_impulse(1e300)",
       [](World& w, BodyId b, Draw&) {
         w.add_impulse(b, {1e300, 0, 0});
       }},
      {"set_mass(-1)",
       [](World& w, BodyId b, Draw&) {
         w.set_mass(b, {-1, {}, SymMat3::diagonal(1, 1, 1)});
       }},
      {"set_mass(no solid)",
       [](World& w, BodyId b, Draw&) {
         w.set_mass(b, {1, {}, SymMat3::diagonal(1, 1, 9)});
       }},
      {"set_damping(-1)", [](World& w, BodyId b, Draw&) { w.set_damping(b, -1, 0); }},
      {"set_locked_axes(64)", [](World& w, BodyId b, Draw&) { w.set_locked_axes(b, 64); }},
      {"set_kind(7)", [](World& w, BodyId b, Draw&) { w.set_kind(b, static_cast<BodyKind>(7)); }},
      {"set_collision(self)", [](World& w, BodyId b, Draw&) { w.set_collision(b, b, false); }},
      {"add_shape(nan)",
       [](World& w, BodyId b, Draw&) {
         w.add_shape(b, {.pose = {{kNan, 0, 0}}});
       }},
      {"add_body(no mass)", [](World& w, BodyId, Draw&) { w.add_body({}); }},
      {"add_body(mesh)",
       [](World& w, BodyId, Draw&) {
         w.add_body({}, {{.shape = make_half_space({0, 0, 1}, 0)}});
       }},
      {"remove_body(stale)",
       [](World& w, BodyId b, Draw&) {
         w.remove_body({b.index, b.generation + 77});
       }},
      {"remove_shape(null)", [](World& w, BodyId, Draw&) { w.remove_shape({}); }},
      {"add_joint(self)", [](World& w, BodyId b, Draw&) { w.add_joint({.body_a = b, .body_b = b}); }},
      {"add_joint(null)", [](World& w, BodyId b, Draw&) { w.add_joint({.body_a = b}); }},
      {"add_joint(break at nan)", [](World& w, BodyId b, Draw&) { w.add_joint({.body_b = b, .break_force = kNan}); }},
      {"remove_joint(null)", [](World& w, BodyId, Draw&) { w.remove_joint({}); }},
      {"cast_ray(nan)",
       [](World& w, BodyId, Draw&) {
         w.cast_ray({}, {kNan, 0, 0}, 1);
       }},
      {"step(nan)", [](World& w, BodyId, Draw&) { w.step(kNan); }},
      {"step(-0.01)", [](World& w, BodyId, Draw&) { w.step(-0.01); }},
      {"step(1e-9)", [](World& w, BodyId, Draw&) { w.step(1e-9); }},
      {"set_settings(solver none)", [](World& w, BodyId, Draw&) { set(w, [](auto& s) { s.solver = "none"; }); }},
      {"set_settings(broad none)", [](World& w, BodyId, Draw&) { set(w, [](auto& s) { s.broad_phase = "none"; }); }},
      {"set_settings(gravity nan)", [](World& w, BodyId, Draw&) { set(w, [](auto& s) { s.gravity.x = kNan; }); }},
      {"set_settings(sub_steps 0)", [](World& w, BodyId, Draw&) { set(w, [](auto& s) { s.sub_steps = 0; }); }},
      {"restore(damaged)", [](World& w, BodyId, Draw& d) { restore_damaged(w, d); }},
  };
  return kCalls;
}

}  // namespace

std::string Player::misuse(const Call& call, Draw& draw) {
  const auto found = course_.bodies.find(call.body);
  const BodyId body = found == course_.bodies.end() ? BodyId{} : found->second;
  const Wrong& wrong = wrong_calls()[to_index(draw.below(static_cast<int>(wrong_calls().size())))];
  say("wrong on purpose: {} with body {}", wrong.first, call.body);
  const std::string before = world_.save();
  try {
    wrong.second(world_, body, draw);
  } catch (const InputError&) {
    if (world_.save() != before)
      throw Finding("a refusal changes the state", fmt::format("{} left another snapshot", wrong.first));
    return "refused";
  }
  throw Finding("bad input is taken", fmt::format("{} was not refused", wrong.first));
}

}  // namespace cairn::fuzz
