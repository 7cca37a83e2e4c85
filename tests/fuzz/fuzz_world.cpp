// SPDX-License-Identifier: MIT
// fuzz_world: random sequences of calls on World, played on worlds that must stay equal (judge.h). What goes wrong is
// shrunk to the calls that it needs, and told with the command that plays it again.
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "cairn/core/names.h"
#include "cairn/simd/simd.h"
#include "cairn/solvers/solver_table.h"
#include "tests/fuzz/trial.h"

namespace {

using namespace cairn;
using namespace cairn::fuzz;

constexpr const char* kHelp = R"(fuzz_world: random sequences of calls on World.

  --sequences N    how many (1000)
  --seed S         of the run (1); sequence k of a run is the same on every machine
  --first K        number of the first one (0): plays a failure alone with --sequences 1
  --solver NAME    of every world; any: drawn anew for each, soft_step half of the time (any)
  --threads N      of a world at most; 0: up to 3 (0)
  --minutes M      stops after this time; 0: never (0)
  --failures N     stops after so many (5)
  --ignore TEXT    passes over failures whose message has this in it; may be given several times
  --shrink on|off  leaves out calls that a failure does not need (on)
  --calls on|off   tells every call (off)

Exit codes: 0 nothing found, 1 something found, 2 wrong usage.
)";

struct Options {
  std::uint64_t sequences = 1000, seed = 1, first = 0;
  Wish wish;
  double minutes = 0;
  int failures = 5;
  std::vector<std::string> ignored;
  bool shrink = true, calls = false;
};

bool parse_switch(const std::string& name, const std::string& value) {
  if (value != "on" && value != "off") fail_input(fmt::format("{} is {}: it must be on or off", name, value));
  return value == "on";
}

void check_solver(const std::string& name) {
  if (name != "any") make_solver(name);
}

void read_option(Options& o, const std::string& name, const std::string& value) {
  const auto count = [&] {
    const auto n = parse_number<std::int64_t>(name, value);
    if (n < 0) fail_input(fmt::format("{} is {}: it must not be negative", name, value));
    return static_cast<std::uint64_t>(n);
  };
  if (name == "--sequences") return void(o.sequences = count());
  if (name == "--seed") return void(o.seed = count());
  if (name == "--first") return void(o.first = count());
  if (name == "--solver") return check_solver(value), void(o.wish.solver = value);
  if (name == "--threads") return void(o.wish.threads = static_cast<int>(count()));
  if (name == "--minutes") return void(o.minutes = parse_number<double>(name, value));
  if (name == "--failures") return void(o.failures = static_cast<int>(count()));
  if (name == "--ignore") return o.ignored.push_back(value);
  if (name == "--shrink") return void(o.shrink = parse_switch(name, value));
  if (name == "--calls") return void(o.calls = parse_switch(name, value));
  fail_input(fmt::format("there is no option {}; --help lists them all", name));
}

/// What of the differences of the twin is enough by itself.
std::string causes(const Sequence& sequence, const std::string& kind) {
  constexpr std::pair<unsigned, const char*> kNames[] = {
      {kThreads, "threads"}, {kBroadPhase, "broad phase"}, {kMeasure, "judging"}, {kSimd, "instruction set"}};
  std::string text;
  const auto fails_with = [&](unsigned differences) {
    const auto verdict = try_in_child(
        0, 1, [&](std::uint64_t) { judge(sequence, differences); }, Noise::silent);
    return verdict && verdict->kind == kind;
  };
  if (fails_with(0)) return "it needs no difference between the worlds";
  for (const auto& [bit, name] : kNames)
    if (fails_with(bit)) text += (text.empty() ? "" : " or ") + std::string(name);
  return text.empty() ? "it needs several differences at once" : "it needs another " + text;
}

void tell(const Options& o, const Verdict& verdict) {
  constexpr int kMostTrials = 600;
  Sequence sequence = generate(o.seed, verdict.number, o.wish);
  fmt::print("\nsequence {}: {}: {}\n", verdict.number, verdict.kind, verdict.text);
  fmt::print("again: fuzz_world --seed {} --first {} --sequences 1{}{}\n", o.seed, verdict.number,
             o.wish.solver == "any" ? "" : " --solver " + o.wish.solver,
             o.wish.threads == 0 ? "" : fmt::format(" --threads {}", o.wish.threads));
  if (!o.shrink) return;
  const std::size_t before = sequence.calls.size();
  sequence = shrink(std::move(sequence), verdict.kind, kMostTrials);
  fmt::print("shrunk from {} to {} calls; {}\n", before, sequence.calls.size(), causes(sequence, verdict.kind));
  const auto last = try_in_child(
      0, 1, [&](std::uint64_t) { judge(sequence, kEverything, true); }, Noise::loud);
  fmt::print("  -> {}\n", last ? last->kind + ": " + last->text : "passes now: it depends on more than its calls");
  std::fflush(stdout);
}

bool is_ignored(const Options& o, const Verdict& verdict) {
  const std::string message = verdict.kind + ": " + verdict.text;
  return std::any_of(o.ignored.begin(), o.ignored.end(),
                     [&](const std::string& text) { return message.find(text) != std::string::npos; });
}

int run(const Options& o) {
  constexpr std::uint64_t kBatch = 25;
  const auto begin = std::chrono::steady_clock::now();
  const auto minutes = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() / 60;
  };
  const std::uint64_t end = o.first + o.sequences;
  std::uint64_t next = o.first;
  int failures = 0, ignored = 0;
  while (next < end && failures < o.failures && (o.minutes == 0 || minutes() < o.minutes)) {
    const std::uint64_t count = std::min(kBatch, end - next);
    const auto verdict = try_in_child(
        next, count, [&](std::uint64_t k) { judge(generate(o.seed, k, o.wish), kEverything, o.calls); },
        o.calls ? Noise::loud : Noise::silent);
    next = verdict ? verdict->number + 1 : next + count;
    if (!verdict) continue;
    if (is_ignored(o, *verdict))
      ++ignored;
    else
      ++failures, tell(o, *verdict);
  }
  fmt::print("{} sequences of seed {} from {} on, {} failed{}, {:.1f} minutes\n", next - o.first, o.seed, o.first,
             failures, ignored > 0 ? fmt::format(", {} failures ignored", ignored) : "", minutes());
  return failures > 0 ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    Options options;
    for (int k = 1; k < argc; k += 2) {
      if (std::strcmp(argv[k], "--help") == 0) return std::fputs(kHelp, stdout), 0;
      if (k + 1 == argc) fail_input(fmt::format("{} needs a value; --help lists all options", argv[k]));
      read_option(options, argv[k], argv[k + 1]);
    }
    return run(options);
  } catch (const std::exception& error) {
    fmt::print(stderr, "fuzz_world: {}\n", error.what());
    return 2;
  }
}
