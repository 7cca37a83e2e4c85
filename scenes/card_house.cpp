// SPDX-License-Identifier: MIT
// Houses of cards: five levels of tents ("A-frames") of two leaning cards, with flat cards across the apexes.
//
// A leaning card is a rectangle of length L and thickness t, turned by a from the vertical. The two cards of a tent
// touch with their inner upper edges, and each stands on its inner lower edge. With the apex at x = 0:
//     inner upper edge  (0,            L cos a)             all heights over the feet
//     outer upper edge  (-+ t cos a,   L cos a + t sin a)   carries the flat cards above
//     inner lower edge  (-+ L sin a,   0)                   stands on the ground or on a flat card
//     centre            (-+ (L sin a + t cos a) / 2,  (L cos a + t sin a) / 2)
// Everything that should touch touches exactly, up to rounding.
#include <cmath>

#include "scenes/scene_family.h"
#include "scenes/scene_parts.h"

namespace cairn::scenes {

namespace {

constexpr double kLength = 0.88, kDepth = 0.63, kThickness = 0.03;  // m
constexpr double kPitch = 0.884;                                    // m between apexes
constexpr double kLean = 25 * kDegree;
constexpr int kLevels = 5;  // tents of the lowest level
constexpr int kBoxes = 10;  // thrown at it

/// A tent with its feet at height z.
void add_tent(World& world, double apex_x, double z, const Material& material) {
  const double sine = std::sin(kLean), cosine = std::cos(kLean);
  const Vec3 half{0.5 * kThickness, 0.5 * kDepth, 0.5 * kLength};
  const double reach = 0.5 * (kLength * sine + kThickness * cosine);
  const double height = 0.5 * (kLength * cosine + kThickness * sine);
  for (const double side : {-1.0, 1.0})
    add_box(world, {{apex_x + side * reach, 0, z + height}, turn({0, 1, 0}, -side * kLean)}, half, material);
}

void add_flat_card(World& world, double x, double bottom, bool turned, const Material& material) {
  const Vec3 along{0.5 * kLength, 0.5 * kDepth, 0.5 * kThickness}, across{along.y, along.x, along.z};
  add_box(world, {{x, 0, bottom + 0.5 * kThickness}, {}}, turned ? across : along, material);
}

/// Two cards across, each on the flat card between the feet of an outer tent of the level that begins at height z; on
/// one another where the level has a single tent.
void add_inner_cards(World& world, int tents, double first_x, double z, const Material& material) {
  add_flat_card(world, first_x, z, true, material);
  add_flat_card(world, first_x + kPitch * (tents - 1), tents == 1 ? z + kThickness : z, true, material);
}

void build_card_house(World& world, const SceneValues& values, bool inner_cards) {
  const Material material = rubbing(values.get("friction"));
  add_ground(world, material);
  const double tent_height = kLength * std::cos(kLean) + kThickness * std::sin(kLean);
  double z = 0;
  for (int tents = kLevels; tents >= 1; --tents) {
    const double first_x = -0.5 * kPitch * (tents - 1);
    if (inner_cards && tents < kLevels) add_inner_cards(world, tents, first_x, z, material);
    for (int i = 0; i < tents; ++i) add_tent(world, first_x + kPitch * i, z, material);
    z += tent_height;
    for (int i = 0; i + 1 < tents; ++i) add_flat_card(world, first_x + kPitch * (i + 0.5), z, false, material);
    z += kThickness;
  }
}

/// Ten light boxes, thrown from 40 m to the left and to the right in turn so high that the first comes down on the top
/// of the house after five seconds and the others 0.15 s apart: until then it stands untouched, afterwards what is left
/// of it must stand. The flight is that of symplectic Euler over n = t / h steps,
///     x = x0 + n h v_x,   z = z0 + n h v_z - g h^2 n (n + 1) / 2.
void add_thrown_boxes(World& world, const Material& material) {
  constexpr double kHalf = 0.1, kDensity = 25;  // m, kg/m^3: 0.2 kg at 25 m/s; a card has 16.6 kg
  constexpr double kFar = 40, kFirst = 5, kEvery = 0.15, kFrame = 1.0 / 60;
  constexpr double kLowest = 3.5, kHighest = 4.1;  // m, the heights aimed at: the upper two levels
  constexpr double kLevelHeight = 0.84;            // m, about
  const double gravity = norm(world.settings().gravity);
  for (int k = 0; k < kBoxes; ++k) {
    const double side = k % 2 == 0 ? -1 : 1, frames = std::floor((kFirst + kEvery * k) / kFrame),
                 time = frames * kFrame;
    const double aim = kLowest + (kHighest - kLowest) * (k * 7 % kBoxes) / (kBoxes - 1);
    const double edge = side * 0.5 * kPitch * (kLevels - aim / kLevelHeight);  // of the house at that height
    const Vec3 start{side * kFar, 0.04 * (k % 3 - 1), 1 + 0.5 * k};
    const double fall = 0.5 * gravity * kFrame * kFrame * frames * (frames + 1);
    const Vec3 velocity = (1 / time) * Vec3{edge - start.x, -start.y, aim - start.z + fall};
    world.add_body({.pose = {start, {}}, .velocity = {velocity, {}}, .continuous = true},
                   {{.shape = make_box({kHalf, kHalf, kHalf}), .material = material, .density = kDensity}});
  }
}

SceneFamily card_house(std::string name, std::string summary, void (*build)(World&, const SceneValues&)) {
  return {
      .name = std::move(name), .summary = std::move(summary), .parameters = {friction_parameter(0.8)}, .build = build};
}

/// Until all that was hit has come to rest.
SceneFamily thrown_at(SceneFamily family) {
  family.steps = family.measure_to = 900;
  family.measure_from = 780;
  return family;
}

}  // namespace

std::vector<SceneFamily> card_house_scenes() {
  return {
      card_house("card_house_40", "five levels of leaning cards, 40 in all",
                 [](World& world, const SceneValues& values) { build_card_house(world, values, false); }),
      card_house("card_house_48", "the same with two more cards lying in each upper level (Tonge et al. 2012)",
                 [](World& world, const SceneValues& values) { build_card_house(world, values, true); }),
      thrown_at(card_house("card_house_58",
                           "the 48 cards, and ten boxes that hit them after five seconds (Tonge et al. 2012)",
                           [](World& world, const SceneValues& values) {
                             build_card_house(world, values, true);
                             add_thrown_boxes(world, rubbing(values.get("friction")));
                           })),
  };
}

}  // namespace cairn::scenes
