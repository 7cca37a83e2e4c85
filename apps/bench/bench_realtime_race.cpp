// SPDX-License-Identifier: MIT
// Engines on one scene in one process: each settles by itself, then all take turns in short visits, with one thread
// and with two, so that a busy machine harms all alike. Times are those of the steps alone, by the clock; what the
// bodies then do is judged by the PoseRuler, for all engines the same.
#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>

#include "apps/bench/bench_realtime.h"
#include "cairn/core/timer.h"
#include "cairn/solvers/solver_table.h"

namespace cairn::cli {

namespace {

constexpr int kVisit = 6;   // steps per visit at least, of which the first is not timed
constexpr int kRounds = 5;  // visits at most

/// Ours behind the interface of the others.
class CairnEngine : public peers::Peer {
 public:
  CairnEngine(const std::string& scene, const std::string& solver)
      : scene_(scenes::make_scene(scene, {},
                                  [&](WorldSettings& settings) {
                                    settings.solver = solver;
                                    settings.measure_residual = false;
                                  })
                   .value_or_throw()),
        bodies_(scene_.world.bodies()) {}

  void set_threads(int threads) override {
    WorldSettings settings = scene_.world.settings();
    if (settings.threads == threads) return;
    settings.threads = threads;
    scene_.world.set_settings(settings);
  }
  void step(double dt) override { scene_.world.step(dt); }
  void read(std::span<peers::PeerState> out) const override {
    for (std::size_t i = 0; i < out.size(); ++i) {
      const BodyView view = scene_.world.view(bodies_[i]);
      out[i] = {view.pose, view.velocity};
    }
  }
  std::int64_t contacts() const override { return scene_.world.last_report().contacts; }

 private:
  scenes::Scene scene_;
  std::vector<BodyId> bodies_;
};

/// An engine under way.
struct Contestant {
  EngineResult result;
  std::unique_ptr<peers::Peer> engine;
  int most_threads = 1 << 10;
  std::unique_ptr<PoseRuler> ruler;
  std::vector<peers::PeerState> states;
  std::vector<std::vector<double>> ms;  ///< per number of threads of the options
  std::int64_t steps = 0;

  void look() {
    engine->read(states);
    ruler->look(states);
  }
  /// m, of all bodies whose place is a number.
  double highest() {
    engine->read(states);
    double z = -std::numeric_limits<double>::infinity();
    for (const peers::PeerState& state : states) z = std::max(z, state.pose.position.z);
    return z;
  }
};

Contestant make_contestant(const std::string& scene, const std::string& name,
                           const std::function<std::unique_ptr<peers::Peer>()>& make) {
  Contestant c;
  c.result.scene = scene, c.result.engine = name;
  try {
    c.engine = make();
  } catch (const InputError& error) {
    if (error.kind() != ErrorKind::unsupported) throw;
    c.result.cannot = error.what();
  }
  return c;
}

/// soft_step is what users get; scenes with joints also show the solvers made for them.
std::vector<std::string> our_solvers(const World& world) {
  if (world.joints().empty()) return {"soft_step"};
  std::vector<std::string> names;
  for (const SolverInfo& info : solver_table())
    for (const char* wanted : {"soft_step", "ldl_pgs", "gauss_seidel"})
      if (info.name == wanted && info.joints) names.push_back(info.name);
  return names;
}

std::vector<Contestant> make_contestants(const std::string& name, bool with_peers) {
  const scenes::Scene scene = scenes::make_scene(name).value_or_throw();
  std::vector<Contestant> all;
  for (const std::string& solver : our_solvers(scene.world))
    all.push_back(
        make_contestant(name, "cairn " + solver, [&] { return std::make_unique<CairnEngine>(name, solver); }));
  for (const peers::PeerInfo& info : peers::peer_table()) {
    if (!with_peers || !info.found()) continue;
    all.push_back(
        make_contestant(name, info.name + " " + info.version, [&] { return info.make(peers::describe(scene.world)); }));
    all.back().result.peer = true;
    all.back().most_threads = info.most_threads;
  }
  for (Contestant& c : all) c.states.resize(scene.world.body_count());
  return all;
}

struct Race {
  const RealtimeScene& scene;
  const std::vector<int>& threads;
  double dt;
  Progress& progress;

  void step(Contestant& c, double* ms = nullptr) {
    const Timer timer;
    c.engine->step(dt);
    if (ms != nullptr) *ms = 1e3 * timer.seconds();
    ++c.steps;
    progress.update(fmt::format("{}, {}: step {}", scene.name, c.result.engine, c.steps));
  }

  void settle(Contestant& c) {
    c.engine->set_threads(std::min(*std::max_element(threads.begin(), threads.end()), c.most_threads));
    while (c.steps < scene.settle && !interrupted()) step(c);
    if (scene.late_settle > 0 && c.highest() > scene.standing)
      while (c.steps < scene.late_settle && !interrupted()) step(c);
    c.result.first = static_cast<int>(c.steps) + 1;
  }

  /// One engine's turn: its share of the steps with every number of threads that it can use.
  void visit(Contestant& c, int steps) {
    std::vector<std::size_t> able;
    for (std::size_t i = 0; i < threads.size(); ++i)
      if (threads[i] <= c.most_threads) able.push_back(i);
    for (const std::size_t i : able) {
      c.engine->set_threads(threads[i]);
      for (int k = 0; k < steps / static_cast<int>(able.size()) && !interrupted(); ++k) {
        double ms = 0;
        step(c, &ms);
        if (k > 0) c.ms[i].push_back(ms);  // the first follows another engine, or another pool
      }
    }
    c.look();
  }
};

void finish(Contestant& c, const std::vector<int>& threads) {
  c.result.last = static_cast<int>(c.steps);
  c.result.contacts = c.engine->contacts();
  c.result.quality = c.ruler->quality();
  for (std::size_t i = 0; i < threads.size(); ++i)
    if (!c.ms[i].empty())
      c.result.timings.push_back(
          {threads[i], median(c.ms[i]),
           std::accumulate(c.ms[i].begin(), c.ms[i].end(), 0.0) / static_cast<double>(c.ms[i].size()),
           static_cast<std::int64_t>(c.ms[i].size())});
}

}  // namespace

std::vector<RealtimeScene> realtime_scenes(bool quick) {
  if (quick)
    return {{"ball_grid_24", 6, 12},  {"ball_grid_40", 2, 12},   {"boxes_on_mesh", 60, 12}, {"pyramid_20", 60, 60},
            {"pyramid_100", 12, 12},  {"box_stack_20", 60, 60},  {"card_house_40", 60, 60}, {"card_house_48", 60, 60},
            {"hinge_chains", 30, 12}, {"joint_grid_10", 30, 60}, {"joint_grid_40", 12, 12}, {"joint_net_10", 30, 60},
            {"joint_net_30", 30, 12}, {"ragdolls_36", 60, 12},   {"ragdolls_144", 60, 12}};
  return {{"ball_grid_24", 60, 60},    {"ball_grid_40", 12, 24},    {"boxes_on_mesh", 900, 300, 15, 2400},
          {"pyramid_20", 900, 300},    {"pyramid_100", 600, 120},   {"box_stack_20", 900, 300},
          {"card_house_40", 300, 300}, {"card_house_48", 300, 300}, {"hinge_chains", 300, 300},
          {"joint_grid_10", 60, 300},  {"joint_grid_20", 60, 120},  {"joint_grid_40", 60, 60},
          {"joint_net_10", 60, 120},   {"joint_net_20", 60, 60},    {"joint_net_30", 60, 60},
          {"ragdolls_36", 120, 60},    {"ragdolls_144", 120, 60},   {"ragdolls_400", 120, 24}};
}

std::vector<EngineResult> race_engines(const RealtimeScene& scene, const BenchRealtimeOptions& options,
                                       Progress& progress) {
  std::vector<Contestant> all = make_contestants(scene.name, options.peers);
  const double dt = scenes::make_scene(scene.name).value_or_throw().dt;
  Race race{scene, options.threads, dt, progress};
  for (Contestant& c : all) {
    if (!c.engine) continue;
    c.ms.resize(options.threads.size());
    c.ruler = std::make_unique<PoseRuler>(scenes::make_scene(scene.name).value_or_throw());
    race.settle(c);
  }
  const int rounds = std::clamp(scene.measure / (kVisit * static_cast<int>(options.threads.size())), 1, kRounds);
  for (int round = 0; round < rounds && !interrupted(); ++round)
    for (Contestant& c : all)
      if (c.engine) race.visit(c, scene.measure / rounds);
  std::vector<EngineResult> results;
  for (Contestant& c : all) {
    if (c.engine) finish(c, options.threads);
    results.push_back(std::move(c.result));
  }
  return results;
}

}  // namespace cairn::cli
