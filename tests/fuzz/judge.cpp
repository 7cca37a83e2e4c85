// SPDX-License-Identifier: MIT
#include "tests/fuzz/judge.h"

#include <fmt/core.h>

#include <cstdio>
#include <memory>

#include "cairn/broad/broad_phase.h"
#include "cairn/core/index.h"
#include "cairn/simd/simd.h"

namespace cairn::fuzz {

namespace {

/// By the seed, not by the calls: leaving calls out must not change it.
Flavour other_flavour(const Sequence& sequence, unsigned differences) {
  Draw draw(sequence.seed);
  const auto pick = [&](const std::vector<std::string>& names) {
    return names[to_index(draw.below(static_cast<int>(names.size())))];
  };
  Flavour flavour{1 + draw.below(2), draw.chance(0.7), pick(broad_phase_names()), pick(simd_names())};
  flavour.keeps_warm_start = draw.chance(0.2);
  if ((differences & kThreads) == 0) flavour.thread_shift = 0;
  if ((differences & kMeasure) == 0) flavour.other_measure = flavour.keeps_warm_start = false;
  if ((differences & kBroadPhase) == 0) flavour.broad_phase.clear();
  if ((differences & kSimd) == 0) flavour.simd = "auto";
  return flavour;
}

class Judge {
 public:
  Judge(const Sequence& sequence, unsigned differences, bool verbose)
      : sequence_(sequence),
        verbose_(verbose),
        first_(sequence, Flavour{.reads_problem = true}, verbose),
        twin_(sequence, other_flavour(sequence, differences), false) {}

  void play(const Call& call) {
    if (call.verb == Verb::restore_self) return restore_self();
    if (call.verb == Verb::restore_other) return restore_other();
    const std::string answer = first_.perform(call);
    compare("the twin", twin_, answer, twin_.perform(call));
    if (restored_) compare("the restored world", *restored_, answer, restored_->perform(call));
  }

 private:
  void compare(const std::string& who, const Player& player, const std::string& expected, const std::string& answer) {
    if (answer != expected)
      throw Finding(who + " answers otherwise", fmt::format("\"{}\" against \"{}\"", answer, expected));
    if (!(player.world().state_hash() == first_.world().state_hash()))
      throw Finding(who + " differs", fmt::format("{} has another state; the first body that differs: {}", who,
                                                  first_difference(player.world())));
  }

  std::string first_difference(const World& other) const {
    for (const BodyId id : first_.world().bodies()) {
      if (!other.contains(id)) return fmt::format("slot {} is missing", id.index);
      const BodyView a = first_.world().view(id), b = other.view(id);
      if (!(a.pose.position == b.pose.position) || !(a.velocity == b.velocity))
        return fmt::format("slot {}, position {} and {}, velocity {} and {}", id.index, text_of(a.pose.position),
                           text_of(b.pose.position), text_of(a.velocity.linear), text_of(b.velocity.linear));
    }
    return "none in positions and velocities";
  }

  /// The first world alone goes through its own snapshot: the others must not notice.
  void restore_self() {
    if (verbose_) std::printf("  restore(save())\n");
    const std::string snapshot = first_.world().save();
    if (const auto error = first_.world().restore(snapshot))
      throw Finding("restore refuses what save wrote", error->message);
    if (first_.world().save() != snapshot) throw Finding("a snapshot of a snapshot differs", "its bytes are others");
  }

  void restore_other() {
    if (verbose_) std::printf("  another world = save(), which gets the same calls from now on\n");
    restored_ = std::make_unique<Player>(sequence_, Flavour{.thread_shift = 1}, false);
    const std::string snapshot = first_.world().save();
    restored_->take_over(first_, snapshot);
    if (restored_->world().save() != snapshot)
      throw Finding("a snapshot of a snapshot differs", "its bytes are others");
  }

  const Sequence& sequence_;
  bool verbose_;
  Player first_, twin_;
  std::unique_ptr<Player> restored_;
};

}  // namespace

void judge(const Sequence& sequence, unsigned differences, bool verbose) {
  Judge all(sequence, differences, verbose);
  try {
    for (const Call& call : sequence.calls) all.play(call);
  } catch (const Unsupported& refusal) {
    if (verbose) std::printf("    the solver cannot do it: %s\n", refusal.what());
  }
}

}  // namespace cairn::fuzz
