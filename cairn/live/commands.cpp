// SPDX-License-Identifier: MIT
// What a LiveSession can be asked: one function per name, and the table of them.
#include <fmt/core.h>

#include <algorithm>

#include "cairn/core/index.h"
#include "cairn/core/names.h"
#include "cairn/live/session_core.h"
#include "cairn/world/limits.h"

namespace cairn {

namespace {

constexpr std::int64_t kMostSteps = 1'000'000'000;
constexpr double kLeastSpeed = 1e-3, kMostSpeed = 1e3;
constexpr double kPickLength = 1e6;          // m
constexpr std::int64_t kMostHistory = 2000;  // steps in one answer
constexpr int kMostCurveSweeps = 1000, kCurveSweeps = 100;
constexpr std::int64_t kMostIterations = 100'000;

JsonValue json_texts(const std::vector<std::string>& texts) {
  std::vector<JsonValue> items;
  for (const std::string& text : texts) items.push_back(json_text(text));
  return json_array(std::move(items));
}

/// Settings of the solver of now: name, value, default, what is allowed and what it means.
JsonValue json_solver_settings(const WorldSettings& settings) {
  std::vector<JsonValue> items;
  for (const SolverInfo& info : solver_table()) {
    if (info.name != settings.solver) continue;
    for (const SettingInfo& setting : info.settings) {
      std::string value = setting.value;
      for (const auto& [name, given] : settings.solver_settings)
        if (name == setting.name) value = given;
      JsonValue item = json_object();
      add_member(item, "name", json_text(setting.name));
      add_member(item, "value", json_text(value));
      add_member(item, "default", json_text(setting.value));
      add_member(item, "allowed", json_text(setting.allowed));
      add_member(item, "help", json_text(setting.help));
      items.push_back(std::move(item));
    }
  }
  return json_array(std::move(items));
}

/// The coefficient that all shapes have, or null where they differ.
JsonValue json_friction(const World& world) {
  std::optional<double> friction;
  for (const BodyId body : world.bodies())
    for (const ShapeId shape : world.shapes_of(body)) {
      const double own = world.shape_def(shape).material.friction;
      if (friction && *friction != own) return {};
      friction = own;
    }
  return friction ? json_number(*friction) : JsonValue{};
}

ShotForm shot_form(const std::string& name) {
  std::vector<std::string> known(std::begin(kShotForms), std::end(kShotForms));
  const auto found = std::find(known.begin(), known.end(), name);
  if (found == known.end()) fail_input(fmt::format("shoot: there is no shape '{}'{}", name, did_you_mean(name, known)));
  return static_cast<ShotForm>(found - known.begin());
}

}  // namespace

void LiveSession::Core::execute(const LiveRequest& request, const Answer& answer) {
  static constexpr std::pair<const char*, Command> kCommands[] = {
      {"play", &Core::play},         {"pause", &Core::pause},     {"step", &Core::step},
      {"seek", &Core::seek},         {"restart", &Core::restart}, {"speed", &Core::speed},
      {"solver", &Core::solver},     {"pick", &Core::pick},       {"drag", &Core::drag},
      {"release", &Core::release},   {"shoot", &Core::shoot},     {"remove", &Core::remove},
      {"settings", &Core::settings}, {"history", &Core::history}, {"curves", &Core::curves},
      {"scenes", &Core::scenes},     {"load", &Core::load},       {"previous", &Core::previous},
      {"drive", &Core::drive},       {"save", &Core::save},
  };
  try {
    std::vector<std::string> names{"credit", "subscribe"};  // these the server answers
    for (const auto& [name, command] : kCommands) {
      names.emplace_back(name);
      if (request.name != name) continue;
      const bool looks = command == &Core::settings || command == &Core::history || command == &Core::scenes;
      if (!looks) waiting_ = false;  // someone has taken over
      if (const Result result = (this->*command)(request, answer)) answer(to_line(*result));
      return;
    }
    fail_input(fmt::format("nothing is called '{}'{}", request.name, did_you_mean(request.name, names)));
  } catch (const std::exception& error) {
    answer(live_error(request.id, error.what()));
  }
}

JsonValue LiveSession::Core::status(const JsonValue& id) const {
  JsonValue answer = live_answer(id);
  add_member(answer, "step", json_number(static_cast<double>(run_.here())));
  add_member(answer, "newest", json_number(static_cast<double>(run_.history().newest())));
  add_member(answer, "playing", json_flag(mode_ == Mode::playing));
  add_member(answer, "hash", json_text(run_.world().state_hash().to_string()));
  return answer;
}

auto LiveSession::Core::play(const LiveRequest& request, const Answer&) -> Result {
  const LiveArguments arguments(request, {});
  fail_pending("superseded by play");
  run_.end_seek();
  begin_playing();
  return status(request.id);
}

auto LiveSession::Core::pause(const LiveRequest& request, const Answer&) -> Result {
  const LiveArguments arguments(request, {});
  fail_pending("superseded by pause");
  run_.end_seek();
  mode_ = Mode::paused;
  ++version_;
  return status(request.id);
}

auto LiveSession::Core::step(const LiveRequest& request, const Answer& answer) -> Result {
  const LiveArguments arguments(request, {"count"});
  const std::int64_t count = arguments.has("count") ? arguments.whole("count", 1, kMostSteps) : 1;
  fail_pending("superseded by step");
  run_.end_seek();
  mode_ = Mode::stepping;
  steps_left_ = count;
  pending_ = {request.id, answer};
  return std::nullopt;
}

auto LiveSession::Core::seek(const LiveRequest& request, const Answer& answer) -> Result {
  const LiveArguments arguments(request, {"step"});
  const std::int64_t step = arguments.whole("step", 0, kMostSteps);
  run_.begin_seek(step);
  fail_pending("superseded by another seek");
  mode_ = Mode::seeking;
  pending_ = {request.id, answer};
  return std::nullopt;
}

auto LiveSession::Core::restart(const LiveRequest& request, const Answer&) -> Result {
  const LiveArguments arguments(request, {});
  fail_pending("superseded by restart");
  if (mode_ != Mode::playing) mode_ = Mode::paused;
  run_.restart();
  clock_.start(wall_.seconds(), run_.world().time());
  ++version_;
  return status(request.id);
}

auto LiveSession::Core::speed(const LiveRequest& request, const Answer&) -> Result {
  const LiveArguments arguments(request, {"factor"});
  clock_.set_speed(arguments.number("factor", kLeastSpeed, kMostSpeed), wall_.seconds(), run_.world().time());
  ++version_;
  return status(request.id);
}

/// Things are done where the run stands, not somewhere on the way.
std::optional<BodyId> LiveSession::Core::act(const LiveInput& input) {
  require(mode_ != Mode::seeking, "a seek is under way: wait for its answer");
  const std::optional<BodyId> added = run_.act(input);
  ++version_;
  return added;
}

auto LiveSession::Core::solver(const LiveRequest& request, const Answer&) -> Result {
  const LiveArguments arguments(request, {"name", "settings"});
  WorldSettings next = run_.world().settings();
  choose_solver(next, arguments.text("name"), arguments.named_values("settings"));
  act(LiveChange{std::make_shared<WorldSettings>(std::move(next)), run_.dt()});
  JsonValue answer = status(request.id);
  add_member(answer, "solver", json_text(solver_label(run_.world().settings())));
  return answer;
}

/// The body that a request names by its place in the list. With "generation" it must mean the list of now.
BodyId LiveSession::Core::body_at(const LiveArguments& arguments) {
  refresh_scene();
  if (arguments.has("generation") &&
      arguments.whole("generation", 0, kMostSteps) != static_cast<std::int64_t>(scene_->generation))
    fail_input("the list of bodies has changed: look at the newest one");
  const auto bodies = static_cast<std::int64_t>(scene_->bodies.size());
  require(bodies > 0, "there are no bodies");
  return scene_->bodies[to_index(arguments.whole("body", 0, bodies - 1))];
}

std::int64_t LiveSession::Core::place_of(BodyId body) const {
  const auto at = std::lower_bound(scene_->bodies.begin(), scene_->bodies.end(), body);
  return at != scene_->bodies.end() && *at == body ? at - scene_->bodies.begin() : -1;
}

auto LiveSession::Core::pick(const LiveRequest& request, const Answer&) -> Result {
  const LiveArguments arguments(request, {"origin", "direction"});
  refresh_scene();
  const std::optional<WorldHit> hit = run_.world().cast_ray(arguments.vector("origin", kLargestPosition),
                                                            arguments.vector("direction", 1e6), kPickLength);
  JsonValue answer = live_answer(request.id);
  add_member(answer, "body", json_number(hit ? static_cast<double>(place_of(hit->body)) : -1));
  if (!hit) return answer;
  add_member(answer, "point", json_vector(hit->point));
  add_member(answer, "normal", json_vector(hit->normal));
  add_member(answer, "generation", json_number(static_cast<double>(scene_->generation)));
  return answer;
}

auto LiveSession::Core::drag(const LiveRequest& request, const Answer&) -> Result {
  const LiveArguments arguments(request, {"body", "point", "target", "frequency", "damping", "generation"});
  LiveDrag drag;
  drag.body = body_at(arguments);
  drag.target = arguments.vector("target", kLargestPosition);
  drag.frequency = arguments.number_or("frequency", drag.frequency, 0.01, 100);
  drag.damping = arguments.number_or("damping", drag.damping, 0, 10);
  // A drag that goes on keeps the point it began with.
  const std::optional<LiveDrag>& before = run_.drag();
  const Vec3 point = arguments.vector("point", kLargestPosition);
  const Pose pose = run_.world().view(drag.body).pose;
  drag.anchor =
      before && before->body == drag.body ? before->anchor : rotate(conjugate(pose.orientation), point - pose.position);
  act(drag);
  return live_answer(request.id);
}

auto LiveSession::Core::release(const LiveRequest& request, const Answer&) -> Result {
  const LiveArguments arguments(request, {});
  act(LiveRelease{});
  return live_answer(request.id);
}

auto LiveSession::Core::shoot(const LiveRequest& request, const Answer&) -> Result {
  const LiveArguments arguments(request, {"origin", "direction", "speed", "radius", "density", "shape"});
  const Vec3 direction = arguments.vector("direction", 1e6);
  require(norm(direction) > 0, "shoot: direction has no length");
  LiveShot shot;
  shot.origin = arguments.vector("origin", kLargestPosition);
  shot.velocity = arguments.number_or("speed", 20, 0, 1000) * normalised(direction);
  shot.radius = arguments.number_or("radius", shot.radius, 1e-6, 1000);
  shot.density = arguments.number_or("density", shot.density, 1e-3, 1e9);
  if (arguments.has("shape")) shot.form = shot_form(arguments.text("shape"));
  const std::optional<BodyId> added = act(shot);
  refresh_scene();
  JsonValue answer = status(request.id);
  add_member(answer, "body", json_number(static_cast<double>(place_of(*added))));
  add_member(answer, "generation", json_number(static_cast<double>(scene_->generation)));
  return answer;
}

auto LiveSession::Core::remove(const LiveRequest& request, const Answer&) -> Result {
  const LiveArguments arguments(request, {"body", "generation"});
  act(LiveRemoval{body_at(arguments)});
  return status(request.id);
}

auto LiveSession::Core::settings(const LiveRequest& request, const Answer&) -> Result {
  const LiveArguments arguments(request, {"dt", "gravity", "threads", "sleep", "iterations", "friction", "details"});
  WorldSettings next = run_.world().settings();
  const double dt = arguments.number_or("dt", run_.dt(), kShortestStep, kLongestStep);
  if (arguments.has("gravity")) next.gravity = arguments.vector("gravity", 1e6);
  if (arguments.has("threads")) next.threads = static_cast<int>(arguments.whole("threads", 0, kMostThreads));
  if (arguments.has("sleep")) next.sleep.enabled = arguments.flag("sleep");
  if (arguments.has("iterations"))
    next.iterations = static_cast<int>(arguments.whole("iterations", 1, kMostIterations));
  const bool changes = arguments.has("dt") || arguments.has("gravity") || arguments.has("threads") ||
                       arguments.has("sleep") || arguments.has("iterations");
  if (changes) act(LiveChange{std::make_shared<WorldSettings>(std::move(next)), dt});
  if (arguments.has("friction")) act(LiveFriction{arguments.number("friction", 0, 1e6)});
  const WorldSettings& now = run_.world().settings();
  JsonValue answer = live_answer(request.id);
  add_member(answer, "dt", json_number(run_.dt()));
  add_member(answer, "gravity", json_vector(now.gravity));
  add_member(answer, "threads", json_number(now.threads));
  add_member(answer, "sleep", json_flag(now.sleep.enabled));
  add_member(answer, "iterations", json_number(now.iterations));
  add_member(answer, "solver", json_text(solver_label(now)));
  add_member(answer, "solvers", json_texts(solvers_for(run_.world())));
  if (!arguments.has("details") || !arguments.flag("details")) return answer;
  add_member(answer, "friction", json_friction(run_.world()));
  add_member(answer, "solver_settings", json_solver_settings(now));
  add_member(answer, "previous", json_flag(run_.has_previous()));
  return answer;
}

/// Statistics of the steps from `since` on; of long runs every so many.
auto LiveSession::Core::history(const LiveRequest& request, const Answer&) -> Result {
  const LiveArguments arguments(request, {"since"});
  const LiveHistory& past = run_.history();
  const std::int64_t since = arguments.has("since") ? arguments.whole("since", 0, kMostSteps) : 0;
  const std::int64_t first = std::max(past.oldest(), since), end = past.newest() + 1;
  const std::int64_t stride = std::max<std::int64_t>(1, (end - first + kMostHistory - 1) / kMostHistory);
  const std::span<const char* const> names = statistic_names();
  std::vector<JsonValue> steps, times, columns(names.size(), json_array());
  for (std::int64_t step = first; step < end; step += stride) {
    const LiveRecord& record = past.record(step);
    steps.push_back(json_number(static_cast<double>(step)));
    times.push_back(json_real(record.time));
    for (std::size_t k = 0; k < names.size(); ++k)
      columns[k].items.push_back(json_real(static_cast<double>(record.statistics[k])));
  }
  JsonValue answer = live_answer(request.id);
  add_member(answer, "steps", json_array(std::move(steps)));
  add_member(answer, "times", json_array(std::move(times)));
  JsonValue& statistics = add_member(answer, "statistics", json_object());
  for (std::size_t k = 0; k < names.size(); ++k) add_member(statistics, names[k], std::move(columns[k]));
  return answer;
}

auto LiveSession::Core::curves(const LiveRequest& request, const Answer& answer) -> Result {
  const LiveArguments arguments(request, {"solvers", "sweeps"});
  arguments.texts("solvers");
  if (arguments.has("sweeps")) arguments.whole("sweeps", 1, kMostCurveSweeps);
  require(static_cast<bool>(settings_.curves), "curves: this session was begun without them");
  if (curves_busy_.exchange(true)) fail_input("curves are being computed: wait for their answer");
  curves_queue_.push([this, moment = LiveMoment{run_.world().save(), run_.dt(), run_.drag()}, step = run_.here() + 1,
                      request, answer] { make_curves(moment, step, request, answer); });
  return std::nullopt;
}

/// On the thread of the queue.
void LiveSession::Core::make_curves(const LiveMoment& moment, std::int64_t step, const LiveRequest& request,
                                    const Answer& answer) {
  std::string text;
  try {
    const LiveArguments arguments(request, {"solvers", "sweeps"});
    const int sweeps =
        arguments.has("sweeps") ? static_cast<int>(arguments.whole("sweeps", 1, kMostCurveSweeps)) : kCurveSweeps;
    const JsonValue result = settings_.curves(stepped_copy(moment), arguments.texts("solvers"), sweeps);
    JsonValue whole = live_answer(request.id);
    add_member(whole, "step", json_number(static_cast<double>(step)));
    for (const JsonMember& member : result.members) add_member(whole, member.key, member.value);
    text = to_line(whole);
  } catch (const std::exception& error) {
    text = live_error(request.id, error.what());
  }
  curves_busy_ = false;
  answer(text);
}

}  // namespace cairn
