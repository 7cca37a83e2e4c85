// SPDX-License-Identifier: MIT
// Calls that change the settings of a world, one thing at a time.
#include <fmt/core.h>

#include "cairn/broad/broad_phase.h"
#include "cairn/core/index.h"
#include "tests/fuzz/player.h"

namespace cairn::fuzz {

WorldSettings Player::flavoured(const WorldSettings& settings) const {
  WorldSettings mine = settings;
  mine.threads = 1 + (settings.threads - 1 + flavour_.thread_shift) % 3;
  if (sequence_.threads > 0) mine.threads = std::min(mine.threads, sequence_.threads);
  if (flavour_.other_measure) mine.measure_residual = !settings.measure_residual;
  if (!flavour_.broad_phase.empty()) mine.broad_phase = flavour_.broad_phase;
  return mine;
}

std::string Player::change_settings(const Call& call, Draw& draw) {
  WorldSettings next = course_.wanted;
  draw_setting(call, draw, next);
  world_.set_settings(flavoured(next));
  course_.wanted = next;
  return "set";
}

/// soft_step half of the time: it has ways of its own.
void Player::draw_solver(Draw& draw, WorldSettings& settings) {
  const std::vector<SolverInfo> table = solver_table();
  settings.solver = draw.chance(0.5) ? "soft_step" : table[to_index(draw.below(13)) % table.size()].name;
  if (sequence_.solver != "any") settings.solver = sequence_.solver;
  settings.solver_settings.clear();
  if (settings.solver == "soft_step" && draw.chance(0.15))
    settings.solver_settings = {{"max_residual", "1e-3"},
                                {"stronger", draw.one_of({"nncg", "gauss_seidel", "ldl_pgs", "anderson"})}};
}

/// One of the solver's choices by name; what it cannot do with this world it says when it steps.
void Player::draw_solver_setting(Draw& draw, WorldSettings& settings) {
  std::vector<std::pair<std::string, std::string>> choices;  // name, values separated by |
  for (const SolverInfo& info : solver_table())
    for (const SettingInfo& setting : info.settings)
      if (info.name == settings.solver && setting.allowed.find('|') != std::string::npos)
        choices.emplace_back(setting.name, setting.allowed);
  if (choices.empty()) return;
  auto [name, values] = choices[to_index(draw.below(static_cast<int>(choices.size())))];
  std::vector<std::string> list;
  for (std::size_t at = 0; at < values.size();) {
    const std::size_t end = std::min(values.find('|', at), values.size());
    list.push_back(values.substr(at, end - at));
    at = end + 1;
  }
  const std::string& value = list[to_index(draw.below(static_cast<int>(list.size())))];
  if (name == "stronger") return;  // without a contract it means nothing
  settings.solver_settings = {{name, value}};
  say("settings.solver_settings = {{{} = {}}}", name, value);
}

void Player::draw_setting(const Call& call, Draw& draw, WorldSettings& s) {
  switch (call.verb) {
    case Verb::solver:
      draw_solver(draw, s);
      say("settings.solver = {}{}", s.solver, s.solver_settings.empty() ? "" : " with a contract");
      break;
    case Verb::solver_setting: draw_solver_setting(draw, s); break;
    case Verb::threads: s.threads = 1 + draw.below(3), say("settings.threads = {}", s.threads); break;
    case Verb::broad_phase: {
      const std::vector<std::string> names = broad_phase_names();
      s.broad_phase = names[to_index(draw.below(static_cast<int>(names.size())))];
      say("settings.broad_phase = {}", s.broad_phase);
      break;
    }
    case Verb::measure_residual:
      s.measure_residual = draw.chance(0.5), say("settings.measure_residual = {}", s.measure_residual);
      break;
    case Verb::sub_steps: s.sub_steps = draw.one_of({1, 2, 3, 7}), say("settings.sub_steps = {}", s.sub_steps); break;
    case Verb::iterations:
      s.iterations = draw.one_of({0, 1, 5, 20, 50}), s.tolerance = draw.one_of({0.0, 0.0, 1e-6});
      s.warm_start = draw.chance(0.7);
      say("settings.iterations = {}, tolerance = {}, warm_start = {}", s.iterations, s.tolerance, s.warm_start);
      break;
    case Verb::integrator:
      s.integrator = draw.chance(0.7) ? Integrator::velocity_verlet : Integrator::symplectic_euler;
      say("settings.integrator = {}", s.integrator == Integrator::velocity_verlet ? "velocity_verlet" : "symplectic");
      break;
    case Verb::sleeping:
      s.sleep.enabled = draw.chance(0.7), s.sleep.time = draw.one_of({0.0, 0.03, 0.1});
      if (draw.chance(0.3)) s.sleep.linear_speed = s.sleep.angular_speed = 1;
      say("settings.sleep = {}, time {}, speed {}", s.sleep.enabled, s.sleep.time, s.sleep.linear_speed);
      break;
    case Verb::gravity:
      s.gravity = draw.chance(0.2) ? Vec3{} : draw.vector(draw.chance(0.9) ? 12 : 1e5);
      say("settings.gravity = {}", text_of(s.gravity));
      break;
    case Verb::contacts:
      s.margin = draw.one_of({0.0, 0.005, 0.02, 0.1}), s.recycling = draw.chance(0.5);
      s.persist_events = draw.chance(0.3), s.slip_speed = draw.one_of({0.0, 0.01, 1.0});
      say("settings.margin = {}, recycling = {}, slip_speed = {}", s.margin, s.recycling, s.slip_speed);
      break;
    case Verb::stabilisation:
      s.stabilisation.contact_rate = draw.between(0, 1), s.stabilisation.joint_rate = draw.between(0, 1);
      s.stabilisation.slop = draw.one_of({0.0, 2e-3, 0.1}), s.stabilisation.max_push = draw.one_of({0.0, 2.0, 100.0});
      say("settings.stabilisation = rates {:.2g} {:.2g}, slop {}, max_push {}", s.stabilisation.contact_rate,
          s.stabilisation.joint_rate, s.stabilisation.slop, s.stabilisation.max_push);
      break;
    case Verb::joint_projection:
      s.joint_projection.use = static_cast<JointProjection>(draw.below(3));
      say("settings.joint_projection.use = {}", static_cast<int>(s.joint_projection.use));
      break;
    default: say("set_settings(settings())"); break;
  }
}

}  // namespace cairn::fuzz
