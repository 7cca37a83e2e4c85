// SPDX-License-Identifier: MIT
#include "apps/plots/profiles.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "cairn/core/errors.h"

namespace cairn::cli {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
const double kNan = std::nan("");

/// Two problems, three solvers. Ratios by hand: a 1 and 4, b 2 and 1, c never and 1.
ProfileInput two_by_three() { return {{"a", "b", "c"}, {{1, 2, kInfinity}, {12, 3, 3}}}; }

TEST(Profiles, ByHand) {
  const Profiles profiles = performance_profiles(two_by_three());
  ASSERT_EQ(profiles.solvers.size(), 3u);
  EXPECT_EQ(profiles.problems, 2);
  EXPECT_EQ(profiles.solved_by_none, 0);
  EXPECT_EQ(profiles.tied, 1);  // b and c on the second; their shares at 1 add to 1.5
  const Profile &a = profiles.solvers[0], &b = profiles.solvers[1], &c = profiles.solvers[2];
  EXPECT_EQ(a.tau, (std::vector<double>{1, 4}));
  EXPECT_EQ(a.fraction, (std::vector<double>{0.5, 1}));
  EXPECT_EQ(b.tau, (std::vector<double>{1, 2}));
  EXPECT_EQ(b.fraction, (std::vector<double>{0.5, 1}));
  EXPECT_EQ(c.tau, (std::vector<double>{1}));
  EXPECT_EQ(c.fraction, (std::vector<double>{0.5}));
  EXPECT_EQ(a.share, (std::array<double, 4>{0.5, 0.5, 1, 1}));
  EXPECT_EQ(b.share, (std::array<double, 4>{0.5, 1, 1, 1}));
  EXPECT_EQ(c.share, (std::array<double, 4>{0.5, 0.5, 0.5, 0.5}));
  EXPECT_EQ(a.solved, 2);
  EXPECT_EQ(c.solved, 1);
  EXPECT_NEAR(a.area, 1 - 0.5 * std::log10(4), 1e-15);
  EXPECT_NEAR(b.area, 1 - 0.5 * std::log10(2), 1e-15);
  EXPECT_NEAR(c.area, 0.5, 1e-15);
}

TEST(Profiles, UnsolvedProblemsCount) {
  const Profiles profiles = performance_profiles({{"a", "b"}, {{kNan, kInfinity}, {5, kNan}}});
  EXPECT_EQ(profiles.solved_by_none, 1);
  EXPECT_EQ(profiles.solvers[0].fraction.back(), 0.5);
  EXPECT_EQ(profiles.solvers[1].fraction, (std::vector<double>{0}));
  EXPECT_EQ(profiles.solvers[1].area, 0);
}

TEST(Profiles, CostsOfZeroAndTheFloor) {
  // Nothing is within a factor of zero but zero; with a floor both are as good.
  const Profiles strict = performance_profiles({{"a", "b"}, {{0, 1e-9}}});
  EXPECT_EQ(strict.solvers[0].share[0], 1);
  EXPECT_EQ(strict.solvers[1].share[3], 0);
  EXPECT_EQ(strict.solvers[1].solved, 1);
  const Profiles floored = performance_profiles({{"a", "b"}, {{0, 1e-9}}, 1e-6});
  EXPECT_EQ(floored.solvers[1].share[0], 1);
}

TEST(Profiles, NoProblemsAndBadInput) {
  const Profiles none = performance_profiles({{"a"}, {}});
  EXPECT_EQ(none.solvers[0].fraction, (std::vector<double>{0}));
  EXPECT_NE(profile_text(none).find("0/0"), std::string::npos);
  EXPECT_THROW(performance_profiles({{"a", "b"}, {{1}}}), InputError);
  EXPECT_THROW(performance_profiles({{"a"}, {{-1}}}), InputError);
  EXPECT_THROW(performance_profiles({{}, {}}), InputError);
}

TEST(Profiles, PlotIsAStaircaseToACommonEnd) {
  const Plot plot = profile_plot(performance_profiles(two_by_three()), "all", "time");
  ASSERT_EQ(plot.series.size(), 3u);
  EXPECT_EQ(plot.series[0].x, (std::vector<double>{1, 4, 4, 10}));
  EXPECT_EQ(plot.series[0].y, (std::vector<double>{0.5, 0.5, 1, 1}));
  EXPECT_EQ(plot.series[2].x, (std::vector<double>{1, 10}));
  EXPECT_TRUE(plot.log_x);
  EXPECT_FALSE(plot.log_y);
}

TEST(Profiles, TextHasTheBestFirst) {
  EXPECT_EQ(profile_text(performance_profiles(two_by_three())),
            "solver     solved   within 1   within 2   within 5  within 10   area\n"
            "b             2/2        50%       100%       100%       100%   0.85\n"
            "a             2/2        50%        50%       100%       100%   0.70\n"
            "c             1/2        50%        50%        50%        50%   0.50\n"
            "1 problems have several best solvers; each counts\n");
  const Plot plot = profile_plot(performance_profiles(two_by_three()), "all", "time");
  EXPECT_NE(plot.caption.find("In 1 problems several solvers tie"), std::string::npos) << plot.caption;
}

}  // namespace
}  // namespace cairn::cli
