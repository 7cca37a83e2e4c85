// SPDX-License-Identifier: MIT
#include "tests/fuzz/call.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "cairn/core/index.h"
#include "tests/fuzz/draw.h"

namespace cairn::fuzz {

namespace {

/// How often a verb comes up after the beginning, in the order of Verb. Steps are half of all calls.
constexpr std::array<int, kVerbCount> kWeights{2, 0, 2, 1,   4, 1, 1, 1, 2, 2, 1, 1, 1, 2,  // settings
                                               0, 8, 6, 3,   3, 3, 4, 3, 2, 1, 1, 2, 1, 1,
                                               2, 1, 2, 6,   1, 1,          // bodies and shapes
                                               6, 1, 3, 2,   2,             // joints
                                               4, 4, 4, 120, 3, 3, 8, 10};  // the whole world

/// Bodies and joints that a sequence has made so far; some of them may be gone.
class Generator {
 public:
  Generator(std::uint64_t seed, Sequence& out) : draw_(seed), out_(out) {}

  void begin() {
    add(Verb::solver);
    if (draw_.chance(0.06)) add(Verb::solver_setting);
    for (int k = draw_.below(5); k > 0; --k) add(static_cast<Verb>(2 + draw_.below(12)));
    if (draw_.chance(0.9)) make_body(Verb::add_floor);
    const int most = draw_.chance(0.2) ? 24 : 8;
    for (int k = 1 + draw_.below(most); k > 0; --k) make_body(Verb::add_body);
    if (draw_.chance(0.5))
      for (int k = draw_.below(6); k > 0; --k) make_joint(Verb::add_joint);
  }

  void go_on() {
    const int total = std::accumulate(kWeights.begin(), kWeights.end(), 0);
    const int most = draw_.chance(0.03) ? 300 : 40;
    for (int count = 8 + draw_.below(most); count > 0; --count) {
      int at = draw_.below(total), verb = 0;
      while (at >= kWeights[to_index(verb)]) at -= kWeights[to_index(verb++)];
      go_on(static_cast<Verb>(verb));
    }
    for (int k = 0; k < 3; ++k) add(Verb::step);
  }

 private:
  void add(Verb verb, int body = -1, int other = -1, int joint = -1) {
    out_.calls.push_back({verb, body, other, joint, draw_.seed()});
  }

  void go_on(Verb verb) {
    if (verb == Verb::add_body) return make_body(verb);
    if (verb == Verb::add_joint || verb == Verb::add_gear) return make_joint(verb);
    const bool of_joint = verb == Verb::remove_joint || verb == Verb::set_joint || verb == Verb::enable_joint;
    if (of_joint && joints_ > 0) add(verb, -1, -1, draw_.below(joints_));
    if (of_joint) return;
    add(verb, any_body(), any_body());
  }

  void make_body(Verb verb) {
    if (bodies_ < kMostBodies) add(verb, bodies_++);
  }

  /// Between neighbours in the order of making more often than not, so that chains and nets come about.
  void make_joint(Verb verb) {
    if (bodies_ < 2) return;
    const int b = any_body(), a = draw_.chance(0.6) ? b - 1 : draw_.chance(0.6) ? any_body() : -1;
    add(verb, b, a, joints_++);
  }

  int any_body() { return bodies_ == 0 ? -1 : draw_.below(bodies_); }

  static constexpr int kMostBodies = 25;
  Draw draw_;
  Sequence& out_;
  int bodies_ = 0, joints_ = 0;
};

}  // namespace

Sequence generate(std::uint64_t seed, std::uint64_t number, const Wish& wish) {
  Sequence sequence;
  Draw mix(seed ^ (0x9e3779b97f4a7c15ULL * (number + 1)));
  sequence.seed = mix.seed();
  sequence.solver = wish.solver;
  sequence.threads = wish.threads;
  Generator generator(sequence.seed, sequence);
  generator.begin();
  generator.go_on();
  return sequence;
}

}  // namespace cairn::fuzz
