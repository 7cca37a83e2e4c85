// SPDX-License-Identifier: MIT
// A session as a viewer meets it: requests in, answers and frames out.
#include "cairn/live/session.h"

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <future>
#include <mutex>

#include "cairn/core/errors.h"
#include "tests/live/asking.h"
#include "tests/live/live_scene.h"

namespace cairn {
namespace {

/// What came from the session, for a test that waits for it.
class Inbox {
 public:
  LiveListener listener() {
    return {.frame = [this](std::shared_ptr<const LiveFrame> frame) { put(std::move(frame), ""); },
            .note = [this](std::string note) { put(nullptr, std::move(note)); }};
  }
  std::shared_ptr<const LiveFrame> frame() {
    std::unique_lock lock(mutex_);
    if (!changed_.wait_for(lock, kLong, [&] { return frame_ != nullptr; })) return nullptr;
    return std::exchange(frame_, nullptr);
  }
  bool frame_within(std::chrono::milliseconds time) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, time, [&] { return frame_ != nullptr; });
  }
  std::string note() {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, kLong, [&] { return !note_.empty(); });
    return note_;
  }

 private:
  void put(std::shared_ptr<const LiveFrame> frame, std::string note) {
    const std::lock_guard lock(mutex_);
    if (frame) frame_ = std::move(frame);
    if (!note.empty()) note_ = std::move(note);
    changed_.notify_all();
  }
  std::mutex mutex_;
  std::condition_variable changed_;
  std::shared_ptr<const LiveFrame> frame_;
  std::string note_;
};

LiveSettings paused() {
  LiveSettings settings;
  settings.scene = "heap";
  settings.paused = true;
  return settings;
}

TEST(LiveSession, WaitsForItsFirstViewer) {
  LiveSettings settings;
  settings.wait = true;
  Inbox inbox;
  LiveSession session(live_heap(), settings, inbox.listener());
  EXPECT_EQ(session.summary().step, 0);
  ask(session, R"({"id": 1, "do": "settings"})");  // what a page asks before it can show anything
  EXPECT_EQ(session.summary().computed, 0);
  session.want_frame(false, false);
  std::shared_ptr<const LiveFrame> frame = inbox.frame();
  for (int k = 0; frame && frame->motion.step == 0 && k < 1000; ++k)
    session.want_frame(false, false), frame = inbox.frame();
  ASSERT_TRUE(frame);
  EXPECT_GT(frame->motion.step, 0);
  // Who steps by hand is not run away from.
  LiveSession stepped(live_heap(), settings);
  EXPECT_EQ(number(ask(stepped, R"({"id": 1, "do": "step", "count": 2})"), "step"), 2);
  stepped.want_frame(false, false);
  EXPECT_EQ(number(ask(stepped, R"({"id": 2, "do": "step", "count": 1})"), "step"), 3);
}

TEST(LiveSession, StepsAndGoesBackBitForBit) {
  LiveSession session(live_heap(), paused());
  const std::string at_20 = text(ask(session, R"({"id": 1, "do": "step", "count": 20})"), "hash");
  const JsonValue at_50 = ask(session, R"({"id": 2, "do": "step", "count": 30})");
  EXPECT_EQ(number(at_50, "id"), 2);
  EXPECT_EQ(number(at_50, "step"), 50);
  const JsonValue back = ask(session, R"({"id": 3, "do": "seek", "step": 20})");
  EXPECT_EQ(number(back, "step"), 20);
  EXPECT_EQ(number(back, "newest"), 50);
  EXPECT_EQ(text(back, "hash"), at_20);
  EXPECT_TRUE(back.find("exact")->value.flag);
  EXPECT_EQ(text(ask(session, R"({"id": 4, "do": "step", "count": 30})"), "hash"), text(at_50, "hash"));
  World world = live_heap();
  for (int k = 0; k < 50; ++k) world.step(kLiveDt);
  EXPECT_EQ(text(at_50, "hash"), world.state_hash().to_string());
}

TEST(LiveSession, DragsAndShotsAreDoneAgain) {
  LiveSession session(live_heap(), paused());
  ask(session, R"({"do": "step", "count": 10})");
  ask(session, R"({"do": "drag", "body": 5, "point": [0.3, 0.1, 0.9], "target": [2, 1, 3]})");
  ask(session, R"({"do": "step", "count": 10})");
  ask(session, R"({"do": "drag", "body": 5, "point": [0.3, 0.1, 0.9], "target": [-2, 1, 3]})");
  const JsonValue shot = ask(session, R"({"do": "shoot", "origin": [-3, 0, 1], "direction": [1, 0, 0], "speed": 30})");
  EXPECT_EQ(number(shot, "body"), 17);
  ask(session, R"({"do": "step", "count": 10})");
  ask(session, R"({"do": "release"})");
  ask(session, R"({"do": "solver", "name": "jacobi"})");
  const JsonValue end = ask(session, R"({"do": "step", "count": 10})");
  ask(session, R"({"do": "seek", "step": 5})");
  const JsonValue again = ask(session, R"({"do": "step", "count": 35})");
  EXPECT_EQ(number(again, "step"), 40);
  EXPECT_EQ(text(again, "hash"), text(end, "hash"));
  EXPECT_EQ(session.summary().mismatches, 0);
}

TEST(LiveSession, PlaysUntilItIsPaused) {
  Inbox inbox;
  LiveSettings settings = paused();
  LiveSession session(live_heap(), settings, inbox.listener());
  ask(session, R"({"do": "speed", "factor": 1000})");
  EXPECT_TRUE(ask(session, R"({"do": "play"})").find("playing")->value.flag);
  std::int64_t last = -1;
  for (int k = 0; k < 5; ++k) {
    session.want_frame(false, false);
    const auto frame = inbox.frame();
    ASSERT_NE(frame, nullptr);
    EXPECT_GE(frame->motion.step, last);
    last = frame->motion.step;
  }
  const JsonValue stopped = ask(session, R"({"do": "pause"})");
  EXPECT_FALSE(stopped.find("playing")->value.flag);
  EXPECT_EQ(number(ask(session, R"({"do": "pause"})"), "step"), number(stopped, "step"));
}

TEST(LiveSession, APausedWorldIsToldOnceUntilSomethingChanges) {
  Inbox inbox;
  LiveSession session(live_heap(), paused(), inbox.listener());
  session.want_frame(false, false);
  const auto first = inbox.frame();
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(first->motion.pose.size(), 17u);
  session.want_frame(false, false);
  EXPECT_FALSE(inbox.frame_within(std::chrono::milliseconds(50)));
  session.want_frame(true, false);  // more of the same
  const auto with_contacts = inbox.frame();
  ASSERT_NE(with_contacts, nullptr);
  EXPECT_TRUE(with_contacts->has_contacts);
  session.want_frame(false, true);
  ASSERT_NE(inbox.frame(), nullptr);
  session.want_frame(false, false);
  send(session, R"({"do": "step"})");
  const auto stepped = inbox.frame();
  ASSERT_NE(stepped, nullptr);
  EXPECT_EQ(stepped->motion.step, 1);
}

TEST(LiveSession, AnotherListOfBodiesIsToldWithoutAsking) {
  Inbox inbox;
  LiveSession session(live_heap(), paused(), inbox.listener());
  const auto first = inbox.frame();
  ASSERT_NE(first, nullptr);
  ask(session, R"({"do": "shoot", "origin": [-3, 0, 1], "direction": [1, 0, 0]})");
  const auto second = inbox.frame();
  ASSERT_NE(second, nullptr);
  EXPECT_GT(second->scene->generation, first->scene->generation);
  EXPECT_EQ(second->scene->bodies.size(), 18u);
  EXPECT_NE(text(ask(session, R"({"do": "remove", "body": 17, "generation": 1})"), "error").find("changed"),
            std::string::npos);
  ask(session, R"({"do": "remove", "body": 17})");
  const auto third = inbox.frame();
  ASSERT_NE(third, nullptr);
  EXPECT_EQ(third->scene->bodies.size(), 17u);
}

TEST(LiveSession, PicksWhatTheRayMeets) {
  LiveSession session(live_heap(), paused());
  const JsonValue hit = ask(session, R"({"do": "pick", "origin": [0, 0.3, 9], "direction": [0, 0, -1]})");
  EXPECT_EQ(number(hit, "body"), 15);  // the topmost box of that side
  EXPECT_NEAR(hit.find("point")->value.items[2].number, 0.2 + 0.35 * 7 + 0.16, 1e-6);
  EXPECT_EQ(number(ask(session, R"({"do": "pick", "origin": [0, 0, 9], "direction": [0, 0, 1]})"), "body"), -1);
}

TEST(LiveSession, SettingsAreToldAndChanged) {
  LiveSession session(live_heap(), paused());
  EXPECT_EQ(number(ask(session, R"({"id": 1, "do": "settings"})"), "dt"), kLiveDt);
  const JsonValue changed = ask(session, R"({"do": "settings", "dt": 0.005, "gravity": [0, 0, 0], "sleep": true})");
  EXPECT_EQ(number(changed, "dt"), 0.005);
  EXPECT_TRUE(changed.find("sleep")->value.flag);
  EXPECT_EQ(changed.find("gravity")->value.items[2].number, 0);
  ask(session, R"({"do": "step", "count": 4})");
  EXPECT_NEAR(session.summary().time, 0.02, 1e-12);
}

TEST(LiveSession, HistoryHasEveryStatisticOfEveryStep) {
  LiveSession session(live_heap(), paused());
  ask(session, R"({"do": "step", "count": 12})");
  const JsonValue history = ask(session, R"({"do": "history", "since": 3})");
  ASSERT_EQ(history.find("steps")->value.items.size(), 10u);
  EXPECT_EQ(history.find("steps")->value.items[0].number, 3);
  const JsonValue& statistics = history.find("statistics")->value;
  for (const char* name : statistic_names()) EXPECT_EQ(statistics.find(name)->value.items.size(), 10u) << name;
  EXPECT_GT(statistics.find("kinetic_energy")->value.items[5].number, 0);
}

TEST(LiveSession, BadRequestsChangeNothing) {
  LiveSession session(live_heap(), paused());
  ask(session, R"({"do": "step", "count": 5})");
  const std::string before = session.summary().hash;
  const char* bad[] = {
      R"({"do": "explode"})",
      R"({"do": "seek"})",
      R"({"do": "seek", "step": 6})",
      R"({"do": "seek", "step": -1})",
      R"({"do": "seek", "step": 1.5})",
      R"({"do": "step", "count": 0})",
      R"({"do": "step", "count": 1e300})",
      R"({"do": "speed", "factor": 0})",
      R"({"do": "speed", "factor": "fast"})",
      R"({"do": "solver", "name": "gauss_siedel"})",
      R"({"do": "solver", "name": "gauss_seidel", "settings": {"relaxation": 99}})",
      R"({"do": "solver", "name": "gauss_seidel", "settings": {"local": "exact"}})",
      R"({"do": "drag", "body": 0, "point": [0, 0, 0], "target": [0, 0, 1]})",
      R"({"do": "drag", "body": 99, "point": [0, 0, 0], "target": [0, 0, 1]})",
      R"({"do": "drag", "body": 5, "point": [0, 0, 0], "target": [1e300, 0, 1]})",
      R"({"do": "shoot", "origin": [0, 0, 1], "direction": [0, 0, 0]})",
      R"({"do": "shoot", "origin": [0, 0, 1], "direction": [0, 0, 1], "radius": -1})",
      R"({"do": "remove", "body": -1})",
      R"({"do": "remove", "body": 17})",
      R"({"do": "settings", "dt": 5})",
      R"({"do": "settings", "gravity": [0, 0]})",
      R"({"do": "settings", "colour": 1})",
      R"({"do": "pick", "origin": [0, 0, 1], "direction": [0, 0, 0]})",
      R"({"do": "curves"})",
  };
  for (const char* request : bad) EXPECT_FALSE(text(ask(session, request), "error").empty()) << request;
  EXPECT_EQ(session.summary().hash, before);
  EXPECT_EQ(session.summary().newest, 5);
}

TEST(LiveSession, JointsRefuseSolversThatDoNotTakeThem) {
  World world = live_heap();
  world.add_joint(world.joint_at(world.bodies()[1], world.bodies()[2], {{0.15, 0, 0.2}}, BallJoint{}));
  LiveSession session(std::move(world), paused());
  EXPECT_NE(text(ask(session, R"({"do": "solver", "name": "reference"})"), "error").find("takes no joints"),
            std::string::npos);
  EXPECT_EQ(session.summary().solver, "soft_step");
}

TEST(LiveSession, ALaterSeekSupersedesTheFirst) {
  LiveSession session(live_heap(), paused());
  ask(session, R"({"do": "step", "count": 300})");
  // Posted together, so that the second is there before the first has got anywhere.
  std::future<JsonValue> first = send(session, R"({"id": 1, "do": "seek", "step": 250})");
  const JsonValue second = ask(session, R"({"id": 2, "do": "seek", "step": 100})");
  EXPECT_EQ(number(second, "step"), 100);
  const JsonValue answer = first.get();
  EXPECT_TRUE(number(answer, "step") == 250 || !text(answer, "error").empty());
}

TEST(LiveSession, AStepThatIsRefusedPausesAndIsTold) {
  World world = live_heap();
  WorldSettings settings = world.settings();
  settings.solver = "gauss_seidel", settings.solver_settings = {{"local", "exact"}};
  world.set_settings(settings);
  Inbox inbox;
  LiveSettings playing = paused();
  playing.paused = false;
  LiveSession session(std::move(world), playing, inbox.listener());
  EXPECT_NE(inbox.note().find("operator=A"), std::string::npos);
  EXPECT_FALSE(ask(session, R"({"do": "solver", "name": "gauss_seidel"})").find("playing")->value.flag);
  EXPECT_EQ(number(ask(session, R"({"do": "step"})"), "step"), 1);
}

TEST(LiveSession, CurvesAreMadeOneAtATimeBesideTheRun) {
  std::promise<void> go;
  std::shared_future<void> gate = go.get_future().share();
  LiveSettings settings = paused();
  settings.curves = [gate](const World& stepped, const std::vector<std::string>& solvers, int sweeps) {
    gate.wait();
    JsonValue result = json_object();
    add_member(result, "contacts", json_number(static_cast<double>(stepped.problem().contacts.size())));
    add_member(result, "solvers", json_number(static_cast<double>(solvers.size())));
    add_member(result, "sweeps", json_number(sweeps));
    return result;
  };
  LiveSession session(live_heap(), settings);
  ask(session, R"({"do": "step", "count": 30})");
  std::future<JsonValue> curves = send(session, R"({"do": "curves", "solvers": ["pgs", "jacobi"], "sweeps": 20})");
  EXPECT_NE(text(ask(session, R"({"do": "curves"})"), "error").find("wait"), std::string::npos);
  EXPECT_EQ(number(ask(session, R"({"do": "step"})"), "step"), 31);  // it goes on meanwhile
  go.set_value();
  const JsonValue answer = curves.get();
  EXPECT_EQ(number(answer, "step"), 31);
  EXPECT_GT(number(answer, "contacts"), 0);
  EXPECT_EQ(number(answer, "solvers"), 2);
  EXPECT_EQ(number(answer, "sweeps"), 20);
}

}  // namespace
}  // namespace cairn
