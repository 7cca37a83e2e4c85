// SPDX-License-Identifier: MIT
// A thousand chess pieces poured on a board with a rim (Tonge et al. 2012).
//
// Pieces are turned on a lathe of kSectors sectors: foot, stem and head are each the convex hull of a few rings, and
// together they are concave where a piece is. The knight's head is a slab of six corners. Sizes are ten times those of
// a real set.
#include <array>
#include <cmath>

#include "cairn/core/index.h"
#include "cairn/geometry/hull_builder.h"
#include "scenes/scene_family.h"
#include "scenes/scene_parts.h"

namespace cairn::scenes {

namespace {

constexpr int kSectors = 14;
constexpr int kSide = 8;                              // pieces along x and y of a layer at the start
constexpr double kPitch = 1.1;                        // m: no two pieces touch at the start, however they are turned
constexpr double kBoard = 6, kRim = 3, kThick = 0.5;  // m: half of the board, height and thickness of its rim

struct Ring {
  double height, radius;  ///< m
};
using Profile = std::vector<Ring>;

ConvexHull turned_hull(const Profile& profile) {
  std::vector<Vec3> points;
  for (const Ring& ring : profile)
    for (int i = 0; i < kSectors; ++i) {
      const double angle = 2 * kPi * i / kSectors;
      points.push_back({ring.radius * std::cos(angle), ring.radius * std::sin(angle), ring.height});
    }
  return make_hull(points);
}

ConvexHull knight_head() {
  constexpr double kHalf = 0.07;
  std::vector<Vec3> points;
  for (const auto& [x, z] :
       {std::pair{-0.12, 0.14}, {0.12, 0.14}, {0.2, 0.42}, {0.12, 0.55}, {-0.08, 0.6}, {-0.14, 0.4}})
    for (const double y : {-kHalf, kHalf}) points.push_back({x, y, z});
  return make_hull(points);
}

using Piece = std::vector<ConvexHull>;  ///< its convex parts

Piece turned_piece(const Profile& foot, const Profile& stem, const Profile& head) {
  return {turned_hull(foot), turned_hull(stem), turned_hull(head)};
}

/// Pawn, rook, knight, bishop, queen, king; the axis is z and the foot stands on z = 0.
std::array<Piece, 6> make_pieces() {
  const Profile pawn_foot{{0, 0.18}, {0.06, 0.18}, {0.12, 0.12}}, rook_foot{{0, 0.20}, {0.07, 0.20}, {0.14, 0.14}},
      bishop_foot{{0, 0.19}, {0.07, 0.19}, {0.14, 0.13}}, queen_foot{{0, 0.21}, {0.08, 0.21}, {0.15, 0.15}},
      king_foot{{0, 0.22}, {0.08, 0.22}, {0.16, 0.16}};
  return {
      turned_piece(pawn_foot, {{0.12, 0.12}, {0.38, 0.06}}, {{0.38, 0.06}, {0.43, 0.11}, {0.52, 0.11}, {0.57, 0.06}}),
      turned_piece(rook_foot, {{0.14, 0.14}, {0.50, 0.10}}, {{0.50, 0.15}, {0.65, 0.16}}),
      Piece{turned_hull(rook_foot), knight_head()},
      turned_piece(bishop_foot, {{0.14, 0.13}, {0.55, 0.06}}, {{0.55, 0.08}, {0.64, 0.12}, {0.75, 0.07}, {0.80, 0.02}}),
      turned_piece(queen_foot, {{0.15, 0.15}, {0.65, 0.08}}, {{0.65, 0.10}, {0.82, 0.16}, {0.88, 0.10}}),
      turned_piece(king_foot, {{0.16, 0.16}, {0.70, 0.09}}, {{0.70, 0.11}, {0.85, 0.15}, {0.92, 0.05}})};
}

/// Kinds as in a set of 32: 16 pawns, 4 rooks, 4 knights, 4 bishops, 2 queens, 2 kings.
std::size_t kind_of(int piece) {
  constexpr std::array<std::size_t, 16> kKinds{0, 1, 0, 2, 0, 3, 0, 4, 0, 1, 0, 2, 0, 3, 0, 5};
  return kKinds[to_index(piece % 16)];
}

/// The board's top is z = 0; the rim keeps every piece on it.
void add_board(World& world, const Material& material) {
  std::vector<ShapeDef> parts;
  parts.push_back({.shape = make_box({kBoard + kThick, kBoard + kThick, 0.5 * kThick}),
                   .pose = {{0, 0, -0.5 * kThick}, {}},
                   .material = material});
  for (int side = 0; side < 4; ++side) {
    const Pose turned{{}, turn({0, 0, 1}, 0.5 * kPi * side)};
    parts.push_back({.shape = make_box({0.5 * kThick, kBoard + kThick, 0.5 * kRim}),
                     .pose = turned * Pose{{kBoard + 0.5 * kThick, 0, 0.5 * kRim}, {}},
                     .material = material});
  }
  world.add_body({.kind = BodyKind::fixed}, parts);
}

void build_chess(World& world, const SceneValues& values) {
  const Material material = rubbing(values.get("friction"));
  add_board(world, material);
  const std::array<Piece, 6> pieces = make_pieces();
  Random random(values.seed());
  for (int i = 0; i < values.whole("count"); ++i) {
    const int x = i % kSide, y = i / kSide % kSide, z = i / (kSide * kSide);
    const Piece& piece = pieces[kind_of(i)];
    std::vector<ShapeDef> parts;
    for (const ConvexHull& hull : piece) parts.push_back({.shape = hull, .material = material});
    // Turned about its middle, which is about half a metre above its foot.
    const Quat orientation = random_orientation(random);
    const Vec3 middle{kPitch * (x - 0.5 * (kSide - 1)), kPitch * (y - 0.5 * (kSide - 1)), kPitch * (z + 0.6)};
    world.add_body({.pose = {middle - rotate(orientation, {0, 0, 0.45}), orientation}}, parts);
  }
}

}  // namespace

std::vector<SceneFamily> chess_scenes() {
  return {
      {.name = "chess_1000",
       .summary = "1000 chess pieces of convex parts poured on a board with a rim (Tonge et al. 2012)",
       .parameters = {friction_parameter(), {"count", 1000, 1, 10000, "pieces", true}, seed_parameter()},
       .build = build_chess,
       .half_width = [](const SceneValues&) { return kBoard + kThick; },
       .steps = 1200,
       .measure_from = 900,
       .measure_to = 1200},
  };
}

}  // namespace cairn::scenes
