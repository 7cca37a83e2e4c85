// SPDX-License-Identifier: MIT
// Player: a world that calls are made on, with the names that a sequence has for its bodies and joints. Players of one
// sequence differ in what must not matter: threads, broad phase, instruction set, and whether steps are judged.
#pragma once

#include <fmt/format.h>

#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "cairn/world/world.h"
#include "tests/fuzz/call.h"
#include "tests/fuzz/draw.h"

namespace cairn::fuzz {

/// What must never happen. The kind is what a shrunk sequence must still show.
struct Finding : std::runtime_error {
  Finding(std::string what_kind, const std::string& text) : std::runtime_error(text), kind(std::move(what_kind)) {}
  std::string kind;
};

/// A solver that cannot do the step at hand, as documented: the sequence ends there, since part of the step was done.
struct Unsupported : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// What players of one sequence differ in.
struct Flavour {
  int thread_shift = 0;        ///< added to the number of threads, which stays within 1 to 3
  bool other_measure = false;  ///< judges where the first player does not, and the other way round
  std::string broad_phase{};   ///< empty: the one of the sequence
  std::string simd = "auto";
  bool keeps_warm_start = false;
  bool reads_problem = false;  ///< after every step; looking must change nothing
};

class Player {
 public:
  Player(const Sequence& sequence, Flavour flavour, bool verbose);

  /// Makes the call and says what came of it, which must be the same for all players. InputError is an answer
  /// ("refused ..."); what must not happen is thrown as a Finding. A step that the solver cannot do is Unsupported.
  std::string perform(const Call& call);

  /// Goes on where another one is, by way of a snapshot.
  void take_over(const Player& from, const std::string& snapshot);
  World& world() { return world_; }
  const World& world() const { return world_; }

 private:
  using Pair = std::pair<ShapeId, ShapeId>;

  /// All that a snapshot does not know.
  struct Course {
    std::map<int, BodyId> bodies;
    std::map<int, JointId> joints;
    WorldSettings wanted;        ///< before the flavour
    std::vector<Pair> touching;  ///< by the events; sorted
    int listener = 0, made_by_listener = 0;
  };

  template <class... Args>
  void say(fmt::format_string<Args...> format, Args&&... args) {
    if (verbose_) show(fmt::format(format, std::forward<Args>(args)...));
  }
  void show(const std::string& text) const;

  std::string act(const Call& call, Draw& draw);
  // player_settings.cpp
  std::string change_settings(const Call& call, Draw& draw);
  void draw_setting(const Call& call, Draw& draw, WorldSettings& settings);
  void draw_solver(Draw& draw, WorldSettings& settings);
  void draw_solver_setting(Draw& draw, WorldSettings& settings);
  WorldSettings flavoured(const WorldSettings& settings) const;
  // player_bodies.cpp
  std::string add_body(const Call& call, Draw& draw);
  std::string change_body(const Call& call, BodyId body, Draw& draw);
  std::string change_shape(const Call& call, BodyId body, Draw& draw);
  void push(int name, BodyId body, Draw& draw);
  std::string act_on_joint(const Call& call, Draw& draw);
  std::string add_joint(const Call& call, Draw& draw);
  // player_world.cpp
  void apply_listener();
  std::string listen(Draw& draw);
  void hear(const ContactEvent& event);
  void try_forbidden();
  std::string ask(Draw& draw);
  std::string cast_rays(Draw& draw);
  std::string misuse(const Call& call, Draw& draw);
  std::string step(Draw& draw);
  void follow_events();
  void check_state() const;
  void read_problem() const;

  const Sequence& sequence_;
  Flavour flavour_;
  bool verbose_;
  World world_;
  Course course_;
  std::optional<std::pair<std::string, Course>> kept_;  ///< a snapshot to go back to
};

}  // namespace cairn::fuzz
