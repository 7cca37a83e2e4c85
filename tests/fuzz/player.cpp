// SPDX-License-Identifier: MIT
#include "tests/fuzz/player.h"

#include <fmt/core.h>

#include <cstdio>

#include "cairn/simd/simd.h"

namespace cairn::fuzz {

namespace {

constexpr const char* kMissing = "left out: what it needs was never made";

bool is_setting(Verb verb) { return verb <= Verb::same_settings; }
bool is_joint(Verb verb) { return verb >= Verb::add_joint && verb <= Verb::enable_joint; }
bool is_shape(Verb verb) {
  return verb == Verb::remove_shape || verb == Verb::set_material || verb == Verb::set_filter;
}

}  // namespace

Player::Player(const Sequence& sequence, Flavour flavour, bool verbose)
    : sequence_(sequence), flavour_(std::move(flavour)), verbose_(verbose) {
  course_.wanted.iterations = 12;
  course_.wanted.sleep.time = 0.1;
  world_.set_settings(flavoured(course_.wanted));
  world_.keep_warm_start(flavour_.keeps_warm_start);
}

void Player::show(const std::string& text) const {
  std::printf("  %s\n", text.c_str());
  std::fflush(stdout);  // the next call may be the last of this process
}

std::string Player::perform(const Call& call) {
  Draw draw(call.seed);
  force_simd(flavour_.simd);
  const Hash128 before = world_.state_hash();
  try {
    return act(call, draw);
  } catch (const InputError& error) {
    if (call.verb == Verb::step && error.kind() == ErrorKind::unsupported) throw Unsupported(error.what());
    if (call.verb == Verb::step)
      throw Finding("a step throws", fmt::format("step() threw InputError: {}", error.what()));
    if (!(world_.state_hash() == before))
      throw Finding("a refusal changes the state", fmt::format("the state changed although: {}", error.what()));
    say("    refused: {}", error.what());
    return std::string("refused: ") + error.what();
  }
}

std::string Player::act(const Call& call, Draw& draw) {
  if (is_setting(call.verb)) return change_settings(call, draw);
  if (is_joint(call.verb)) return act_on_joint(call, draw);
  switch (call.verb) {
    case Verb::add_floor:
    case Verb::add_body: return add_body(call, draw);
    case Verb::listen: return listen(draw);
    case Verb::ask: return ask(draw);
    case Verb::misuse: return misuse(call, draw);
    case Verb::step: return step(draw);
    case Verb::keep:
      say("keep = save()");
      kept_ = {world_.save(), course_};
      return "kept";
    case Verb::go_back:
      if (!kept_) return kMissing;
      say("restore(keep)");
      if (const auto error = world_.restore(kept_->first))
        throw Finding("restore refuses what save wrote", error->message);
      course_ = kept_->second;
      apply_listener();
      return "went back";
    default: break;
  }
  const auto found = course_.bodies.find(call.body);
  if (found == course_.bodies.end()) return kMissing;
  return is_shape(call.verb) ? change_shape(call, found->second, draw) : change_body(call, found->second, draw);
}

void Player::take_over(const Player& from, const std::string& snapshot) {
  if (const auto error = world_.restore(snapshot)) throw Finding("restore refuses what save wrote", error->message);
  course_ = from.course_;
  kept_ = from.kept_;
  apply_listener();
}

}  // namespace cairn::fuzz
