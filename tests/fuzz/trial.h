// SPDX-License-Identifier: MIT
// Trial: sequences played in a process of their own, so that a crash, a failed assertion or an endless loop is a
// result like any other and can be shrunk.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "tests/fuzz/judge.h"

namespace cairn::fuzz {

struct Verdict {
  std::uint64_t number = 0;  ///< of the sequence
  std::string kind;          ///< of the Finding, or how the process ended
  std::string text;
};

/// Whether what the process says on stdout and stderr is shown.
enum class Noise { silent, loud };

/// Calls play(k) for k from `first` on, `count` times, in one child process; the first that goes wrong ends it.
std::optional<Verdict> try_in_child(std::uint64_t first, std::uint64_t count,
                                    const std::function<void(std::uint64_t)>& play, Noise noise);

/// Leaves calls out while the sequence fails in the same way, at most so many trials.
Sequence shrink(Sequence sequence, const std::string& kind, int most_trials);

}  // namespace cairn::fuzz
