// SPDX-License-Identifier: MIT
#include "apps/compare/still.h"
#include "cairn/core/index.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace cairn::cli {
namespace {

int hue_of(char pixel) { return pixel == 0 ? -1 : (static_cast<unsigned char>(pixel) - 1) / kStillShades; }

std::size_t at(int x, int y) { return to_index(y) * kStillWidth + to_index(x); }

TEST(Still, Base64OfTheStandard) {
  // RFC 4648, section 10.
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foo"), "Zm9v");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
  EXPECT_EQ(base64("\xFF\xFE"), "//4=");
}

TEST(Still, BallHasTheAreaOfItsDisc) {
  World world;
  world.add_body({}, {{.shape = make_sphere(0.5)}});
  const BodyPictures bodies(world, {.segments = 128});
  const std::string pixels = paint_still(bodies, take_frame(world, world.bodies(), false), {{}, 1});
  ASSERT_EQ(pixels.size(), at(0, kStillHeight));
  const double radius = 0.5 * kStillWidth / 2;
  const double area = kPi * radius * radius;
  const auto seen = std::count_if(pixels.begin(), pixels.end(), [](char p) { return p != 0; });
  EXPECT_NEAR(static_cast<double>(seen), area, 0.01 * area);
  EXPECT_EQ(hue_of(pixels[at(kStillWidth / 2, kStillHeight / 2)]), 1);
  EXPECT_EQ(pixels[0], 0);
  // The light is above: the upper half is brighter.
  EXPECT_GT(static_cast<unsigned char>(pixels[at(kStillWidth / 2, kStillHeight / 2 - 80)]),
            static_cast<unsigned char>(pixels[at(kStillWidth / 2, kStillHeight / 2 + 80)]));
}

TEST(Still, TheNearBodyHidesTheFarOne) {
  // The eye looks from (0.6, -1, 0.45): the second ball is behind the first, whichever is drawn first.
  const Vec3 away = -3.0 * normalised(Vec3{0.6, -1, 0.45});
  for (const bool near_first : {true, false}) {
    World world;
    const BodyId a = world.add_body({.pose = {near_first ? Vec3{} : away}}, {{.shape = make_sphere(0.4)}});
    world.add_body({.pose = {near_first ? away : Vec3{}}}, {{.shape = make_sphere(0.4)}});
    ASSERT_TRUE(world.contains(a));
    const std::string pixels =
        paint_still(BodyPictures(world), take_frame(world, world.bodies(), false), {0.5 * away, 1});
    EXPECT_EQ(hue_of(pixels[at(kStillWidth / 2, kStillHeight / 2)]), near_first ? 1 : 2);
  }
}

TEST(Still, ViewHoldsWhatMovesWithoutOutliers) {
  World world;
  world.add_body({.kind = BodyKind::fixed, .pose = {{500, 0, 0}}}, {{.shape = make_sphere(1)}});
  for (int i = 0; i < 99; ++i) world.add_body({.pose = {{0.01 * i, 0, 0}}}, {{.shape = make_sphere(0.1)}});
  world.add_body({.pose = {{0, 0, -1e7}}}, {{.shape = make_sphere(0.1)}});
  const MotionFrame frame = take_frame(world, world.bodies(), false);
  const MotionFrame* frames[] = {&frame};
  const StillView view = still_view(BodyPictures(world), frames);
  EXPECT_LT(view.half_width, 1);
  EXPECT_GT(view.half_width, 0.1);
  EXPECT_LT(norm(view.centre - Vec3{0.49, 0, 0}), 0.05);
}

TEST(Still, PngHasItsChunksWithTheirSums) {
  const std::string png = still_png(std::string(at(0, kStillHeight), '\0'));
  EXPECT_EQ(png.substr(0, 8), "\x89PNG\r\n\x1A\n");
  EXPECT_EQ(png.substr(12, 4), "IHDR");
  // The last chunk is the same in every PNG file.
  EXPECT_EQ(png.substr(png.size() - 12), std::string("\0\0\0\0IEND\xAE\x42\x60\x82", 12));
  EXPECT_NE(png.find("PLTE"), std::string::npos);
}

}  // namespace
}  // namespace cairn::cli
