// SPDX-License-Identifier: MIT
// Snapshots: what is restored goes on as what was saved, to the last bit; what is damaged or forged is refused, and
// nothing has changed then.
#include <gtest/gtest.h>

#include <limits>
#include <map>

#include "cairn/core/bytes.h"
#include "cairn/world/snapshot/snapshot_file.h"
#include "tests/world/mixed_scene.h"

namespace cairn {
namespace {

constexpr double kDt = 1.0 / 60;
constexpr const char* kNames[] = {"settings", "bodies", "shapes", "course", "contacts", "colours", "joints"};

std::string refusal(World& world, const std::string& snapshot) {
  const std::optional<Error> error = world.restore(snapshot);
  return error ? error->message : "";
}

std::vector<SnapshotSection> sections_of(const std::string& snapshot) {
  std::vector<SnapshotSection> result;
  const auto contents = unpack_sections(snapshot, kNames);
  for (std::size_t k = 0; k < contents.size(); ++k) result.push_back({kNames[k], std::string(contents[k])});
  return result;
}

/// A handful of bodies, some of them resting, one slot free.
World small_world() {
  World world(mixed_settings(1));
  Random random(3);
  const ConvexHull hull = random_hull(random, 0.3);
  world.add_body({.kind = BodyKind::fixed}, {{.shape = make_half_space({0, 0, 1}, 0)}});
  world.add_body({.pose = {{0, 0, 0.3}}}, {{.shape = hull}});
  const BodyId gone = world.add_body({.pose = {{2, 0, 0.5}}}, {{.shape = make_sphere(0.5)}});
  const BodyId box = world.add_body({.pose = {{0.1, 0, 0.8}}}, {{.shape = make_box({0.2, 0.2, 0.2})}});
  const BodyId top = world.add_body({.pose = {{0.1, 0, 1.3}}},
                                    {{.shape = make_compound({{hull, {}}, {make_sphere(0.2), {{0.3, 0, 0}}}})}});
  world.add_body({.kind = BodyKind::fixed, .pose = {{-1, -1, 0}}},
                 {{.shape = make_height_field(3, 3, 1, std::vector<double>(9, 0.05))}});
  world.add_body({.kind = BodyKind::fixed},
                 {{.shape = make_mesh(std::vector<Vec3>{{-1, -1, 0.1}, {1, -1, 0.1}, {0, 1, 0.1}},
                                      std::vector<std::array<std::int32_t, 3>>{{0, 1, 2}})}});
  JointAxis axis{.motion = AxisMotion::limited, .lower = -0.5, .upper = 0.5, .friction = 0.2};
  axis.drive = {DriveKind::position, 0, 0.1, 300, 20, 500};
  JointDef hinge = world.joint_at(box, top, frame_along({0.1, 0, 1}, {1, 0, 0}), HingeJoint{axis});
  hinge.collide_connected = true;
  world.remove_joint(world.add_joint(hinge));
  world.add_joint(world.joint_at({}, top, {{0, 0, 1.3}, {}}, SpringJoint{0.1, 200, 5}));
  world.add_joint(hinge);
  for (int k = 0; k < 40; ++k) world.step(kDt);
  world.remove_body(gone);
  return world;
}

class SnapshotThreads : public testing::TestWithParam<int> {};

TEST_P(SnapshotThreads, RestoredWorldGoesOnBitForBit) {
  World world(mixed_settings(1));
  build_mixed(world);
  constexpr int kSteps = 360;
  std::map<std::int64_t, std::string> saved;
  std::vector<Hash128> hashes;
  bool slept = false, many_pairs = false;
  for (int step = 0; step < kSteps; ++step) {
    edit_mixed(world);
    // Before the first step, with bodies just removed, added, pushed and changed, in motion and at rest.
    for (const int at : {0, 6, 20, 26, 60, 90, 150})
      if (step == at) saved[step] = world.save();
    world.step(kDt);
    hashes.push_back(world.state_hash());
    slept = slept || world.last_report().sleeping_islands > 0;
    many_pairs = many_pairs || world.last_report().pairs > 256;
  }
  EXPECT_TRUE(slept);
  EXPECT_TRUE(many_pairs);
  const std::string last = world.save();
  for (const auto& [at, snapshot] : saved) {
    SCOPED_TRACE(at);
    World other(mixed_settings(GetParam()));
    other.add_body({}, {{.shape = make_sphere(1)}});
    ASSERT_EQ(refusal(other, snapshot), "");
    EXPECT_EQ(other.settings().threads, GetParam());
    EXPECT_EQ(other.step_count(), at);
    EXPECT_TRUE(other.save() == snapshot);
    for (std::int64_t step = at; step < kSteps; ++step) {
      if (step > at) edit_mixed(other);  // the edits of the step were made before it was saved
      other.step(kDt);
      ASSERT_EQ(other.state_hash(), hashes[static_cast<std::size_t>(step)]) << "step " << step;
    }
    EXPECT_TRUE(other.save() == last);
  }
}

INSTANTIATE_TEST_SUITE_P(Threads, SnapshotThreads, testing::Values(1, 3));

TEST(Snapshot, EventsGoOnAsIfNothingHadHappened) {
  World world = small_world();
  World other;
  ASSERT_EQ(refusal(other, world.save()), "");
  std::size_t told = 0;
  for (int step = 0; step < 60; ++step) {
    if (step == 20) world.remove_body(world.bodies()[1]), other.remove_body(other.bodies()[1]);
    world.step(kDt), other.step(kDt);
    ASSERT_EQ(world.events().size(), other.events().size());
    for (std::size_t k = 0; k < world.events().size(); ++k, ++told) {
      const ContactEvent &a = world.events()[k], &b = other.events()[k];
      EXPECT_TRUE(a.kind == b.kind && a.shape_a == b.shape_a && a.shape_b == b.shape_b && a.body_a == b.body_a);
      EXPECT_TRUE(a.body_b == b.body_b && a.point == b.point && a.impulse == b.impulse);
    }
  }
  EXPECT_GT(told, 0u);
}

TEST(Snapshot, KeepsHandlesSharingSettingsAndListener) {
  Random random(5);
  const ConvexHull hull = random_hull(random, 0.3);
  WorldSettings settings = mixed_settings(1);
  settings.solver = "jacobi";
  settings.solver_settings = {{"acceleration", "nesterov"}};
  settings.broad_phase = "grid";
  World world(settings);
  const BodyId first = world.add_body({.user = 77}, {{.shape = hull, .user = 5}});
  const BodyId second = world.add_body({.pose = {{3, 0, 0}}}, {{.shape = make_compound({{hull, {}}})}});
  const BodyId gone = world.add_body({}, {{.shape = make_sphere(1)}});
  world.remove_body(gone);

  World other;
  int heard = 0;
  other.set_contact_listener([&](const ContactEvent&) { ++heard; });
  ASSERT_EQ(refusal(other, world.save()), "");
  EXPECT_TRUE(other.contains(first) && other.contains(second));
  EXPECT_FALSE(other.contains(gone));
  EXPECT_EQ(other.view(first).user, 77u);
  const ShapeDef& def = other.shape_def(other.shapes_of(first)[0]);
  EXPECT_EQ(def.user, 5u);
  const auto data = std::get<ConvexHull>(def.shape).data;
  const auto compound = std::get<Compound>(other.shape_def(other.shapes_of(second)[0]).shape).data;
  EXPECT_EQ(std::get<ConvexHull>(compound->children[0].shape).data, data);
  EXPECT_NE(data, hull.data);
  EXPECT_EQ(other.settings().solver, "jacobi");
  EXPECT_EQ(other.settings().solver_settings, settings.solver_settings);
  EXPECT_EQ(other.settings().broad_phase, "grid");
  EXPECT_EQ(other.add_body({}, {{.shape = make_sphere(1)}}), world.add_body({}, {{.shape = make_sphere(1)}}));
  other.step(kDt);  // the sphere stands in the hull
  EXPECT_GT(heard, 0);
}

TEST(Snapshot, RemembersMaterialsThatAreGone) {
  // Grain decides how impulses are put into the frame of the cache, for all contacts and from then on.
  World world(mixed_settings(1)), other;
  world.add_body({.kind = BodyKind::fixed}, {{.shape = make_half_space({0.1, 0.2, 1}, 0)}});
  const BodyId body = world.add_body({.pose = {{0, 0, 0.4}}}, {{.shape = make_box({0.4, 0.4, 0.3})}});
  world.set_material(world.shapes_of(body)[0], {.friction = 0.5, .friction_across = 0.1});
  world.set_material(world.shapes_of(body)[0], {});
  for (int k = 0; k < 20; ++k) world.step(kDt);
  ASSERT_EQ(refusal(other, world.save()), "");
  for (int k = 0; k < 50; ++k) {
    world.step(kDt), other.step(kDt);
    ASSERT_TRUE(world.save() == other.save()) << k;
  }
}

TEST(Snapshot, SlotsThatAreFreeGoOnToo) {
  World world = small_world();
  WorldSettings settings = world.settings();
  settings.margin = 0.03;
  world.set_settings(settings);  // marks all slots, the free one too
  World other;
  ASSERT_EQ(refusal(other, world.save()), "");
  for (World* w : {&world, &other}) {
    w->step(kDt);
    w->add_body({.pose = {{4, 0, 1}}}, {{.shape = make_sphere(0.3)}});
  }
  EXPECT_TRUE(world.save() == other.save());
}

TEST(Snapshot, TakesOverGeometryToTheLastBit) {
  Random random(11);
  World world(mixed_settings(1)), other;
  const TriangleMesh mesh = bumpy_mesh(random);
  const BodyId body = world.add_body({.kind = BodyKind::fixed}, {{.shape = mesh}, {.shape = random_hull(random, 0.4)}});
  ASSERT_EQ(refusal(other, world.save()), "");
  const auto shapes = other.shapes_of(body);
  const MeshData& copy = *std::get<TriangleMesh>(other.shape_def(shapes[0]).shape).data;
  ASSERT_EQ(copy.triangles.size(), mesh.data->triangles.size());
  EXPECT_EQ(copy.vertices, mesh.data->vertices);
  EXPECT_EQ(copy.vertex_normals, mesh.data->vertex_normals);
  EXPECT_EQ(copy.report.degenerate, 1);
  for (std::size_t t = 0; t < copy.triangles.size(); ++t) {
    const MeshTriangle &a = copy.triangles[t], &b = mesh.data->triangles[t];
    EXPECT_TRUE(a.vertex == b.vertex && a.neighbour == b.neighbour && a.edge == b.edge && a.normal == b.normal);
    EXPECT_TRUE(a.source == b.source && a.patch == b.patch);
  }
  const HullData& hull = *std::get<ConvexHull>(other.shape_def(shapes[1]).shape).data;
  const HullData& original = *std::get<ConvexHull>(world.shape_def(shapes[1]).shape).data;
  EXPECT_EQ(hull.vertices, original.vertices);
  ASSERT_EQ(hull.edges.size(), original.edges.size());
  for (std::size_t e = 0; e < hull.edges.size(); ++e) {
    const HalfEdge &a = hull.edges[e], &b = original.edges[e];
    EXPECT_TRUE(a.vertex == b.vertex && a.twin == b.twin && a.next == b.next && a.face == b.face);
  }
  EXPECT_EQ(hull.unit.mass, original.unit.mass);
}

TEST(Snapshot, RefusedInsideAStep) {
  World world = small_world();
  const std::string snapshot = world.save();
  world.add_body({.pose = {{5, 5, 0.4}}}, {{.shape = make_sphere(0.5)}});
  int told = 0;
  world.set_contact_listener([&](const ContactEvent&) {
    ++told;
    EXPECT_THROW((void)world.save(), InputError);
    EXPECT_NE(refusal(world, snapshot).find("inside a step"), std::string::npos);
  });
  world.step(kDt);
  EXPECT_GT(told, 0);
}

TEST(Snapshot, EveryFlippedBitIsRefused) {
  World tiny;
  tiny.add_body({.kind = BodyKind::fixed}, {{.shape = make_half_space({0, 0, 1}, 0)}});
  tiny.add_body({.pose = {{0, 0, 0.5}}}, {{.shape = make_sphere(0.5)}});
  for (int k = 0; k < 3; ++k) tiny.step(kDt);
  const std::string snapshot = tiny.save();
  ASSERT_GT(tiny.contacts().size(), 0u);
  const Hash128 hash = tiny.state_hash();
  std::string damaged = snapshot;
  for (std::size_t byte = 0; byte < snapshot.size(); ++byte)
    for (int bit = 0; bit < 8; ++bit) {
      damaged[byte] = static_cast<char>(snapshot[byte] ^ (1 << bit));
      ASSERT_EQ(refusal(tiny, damaged).rfind("snapshot: ", 0), 0u) << byte << ", bit " << bit;
      damaged[byte] = snapshot[byte];
      ASSERT_EQ(tiny.state_hash(), hash);
    }
  EXPECT_TRUE(tiny.save() == snapshot);
  EXPECT_EQ(refusal(tiny, damaged), "");
}

TEST(Snapshot, EveryTruncationAndAnythingAppendedIsRefused) {
  World world = small_world();
  const std::string snapshot = world.save();
  for (std::size_t length = 0; length < snapshot.size(); ++length)
    ASSERT_NE(refusal(world, snapshot.substr(0, length)), "") << length;
  for (const char* more : {"x", "cairnend"}) EXPECT_NE(refusal(world, snapshot + more), "");
  EXPECT_NE(refusal(world, snapshot + std::string(1, '\0')), "");
  EXPECT_NE(refusal(world, snapshot + snapshot), "");
  EXPECT_TRUE(world.save() == snapshot);
}

TEST(Snapshot, SectionsMustBeThoseThereAreInTheirOrder) {
  World world = small_world();
  const std::string snapshot = world.save();
  const std::vector<SnapshotSection> good = sections_of(snapshot);
  ASSERT_TRUE(pack_sections(good) == snapshot);
  for (std::size_t k = 0; k < good.size(); ++k) {
    std::vector<SnapshotSection> bad = good;
    bad.erase(bad.begin() + static_cast<std::ptrdiff_t>(k));
    EXPECT_NE(refusal(world, pack_sections(bad)), "") << "without " << good[k].name;
    bad = good;
    bad.insert(bad.begin() + static_cast<std::ptrdiff_t>(k), good[k]);
    EXPECT_NE(refusal(world, pack_sections(bad)), "") << "twice " << good[k].name;
    bad = good;
    std::swap(bad[k], bad[(k + 1) % good.size()]);
    EXPECT_NE(refusal(world, pack_sections(bad)), "") << "swapped " << good[k].name;
    bad = good;
    bad[k].content += '\0';
    EXPECT_NE(refusal(world, pack_sections(bad)).find("section " + good[k].name), std::string::npos);
  }
  EXPECT_TRUE(world.save() == snapshot);
}

TEST(Snapshot, OtherVersionsAreRefusedWithBothNumbers) {
  World world;
  std::string snapshot = world.save();
  snapshot[8] = static_cast<char>(kSnapshotVersion + 1);
  const std::string message = refusal(world, snapshot);
  EXPECT_NE(message.find("version 6 and this program reads version 5"), std::string::npos) << message;
  EXPECT_NE(refusal(world, "{\"bodies\": []}").find("no snapshot"), std::string::npos);
}

/// The same snapshot with a number at a place of a section, checksums made anew.
template <class T>
std::string forged(const std::vector<SnapshotSection>& good, std::size_t section, std::size_t at, T value) {
  std::vector<SnapshotSection> bad = good;
  ByteWriter bytes;
  bytes.number(value);
  bad[section].content.replace(at, sizeof(T), bytes.bytes());
  return pack_sections(bad);
}

TEST(Snapshot, ForgedCountsAndIndicesAreRefusedBeforeAnythingIsAllocated) {
  World world = small_world();
  const std::string snapshot = world.save();
  const std::vector<SnapshotSection> good = sections_of(snapshot);
  constexpr std::uint64_t kCounts[] = {1u << 31, std::uint64_t{1} << 63, ~std::uint64_t{0}, 0xffffffff, 1000000};
  for (const std::uint64_t count : kCounts) {
    SCOPED_TRACE(count);
    for (const std::size_t section : {1u, 2u, 4u, 5u, 6u})  // each begins with a count
      EXPECT_NE(refusal(world, forged(good, section, 0, count)).find("count"), std::string::npos);
    for (const std::size_t at : {24u, 32u})  // pairs that never collide, removed shapes
      EXPECT_NE(refusal(world, forged(good, 3, at, count)).find("count"), std::string::npos);
  }
  EXPECT_NE(refusal(world, forged(good, 3, 0, std::numeric_limits<double>::quiet_NaN())), "");
  EXPECT_NE(refusal(world, forged(good, 3, 8, std::int64_t{-1})), "");
  EXPECT_NE(refusal(world, forged(good, 3, 16, 2.0)), "");
  // 7 slots of bodies with their generations and flags, then the free list.
  const std::size_t flags = 8 + 7 * 4, free = flags + 7;
  EXPECT_NE(refusal(world, forged(good, 1, flags, std::uint8_t{0})).find("section bodies"), std::string::npos);
  EXPECT_NE(refusal(world, forged(good, 1, flags + 2, std::uint8_t{1})), "");
  EXPECT_NE(refusal(world, forged(good, 1, free + 8, std::uint32_t{3})), "");
  EXPECT_NE(refusal(world, forged(good, 1, free + 8, std::uint32_t{700})), "");
  // The first pair, and its order.
  EXPECT_NE(refusal(world, forged(good, 4, 8, std::int32_t{-1})).find("pair 0"), std::string::npos);
  EXPECT_NE(refusal(world, forged(good, 4, 12, std::int32_t{1 << 20})).find("pair 0"), std::string::npos);
  // The bodies of the first joint, after two slots of handles with nothing free.
  const std::size_t joint = 8 + 2 * 5 + 8;
  EXPECT_NE(refusal(world, forged(good, 6, joint + 8, std::uint32_t{2})).find("joint 0"), std::string::npos);
  EXPECT_NE(refusal(world, forged(good, 6, joint + 8, std::uint32_t{700})).find("joint 0"), std::string::npos);
  // The colour of the first edge, and its vertices.
  EXPECT_NE(refusal(world, forged(good, 5, 24, std::int32_t{64})), "");
  EXPECT_NE(refusal(world, forged(good, 5, 16, std::int32_t{7})), "");
  EXPECT_TRUE(world.save() == snapshot);
}

/// A change at random: one that readers are known to trip over, or any.
void mutate(Random& random, std::string& bytes) {
  constexpr std::uint64_t kWords[] = {0,
                                      1,
                                      2,
                                      0x7f,
                                      0x7fffffff,
                                      0x80000000,
                                      0xffffffff,
                                      std::uint64_t{1} << 63,
                                      ~std::uint64_t{0},
                                      0x7ff0000000000000,
                                      0x7ff8000000000000,
                                      0x7fefffffffffffff,
                                      0x3ff0000000000000,
                                      0x412e848000000000,
                                      0x7f800000,
                                      0x7fc00000};
  const std::size_t widths[] = {1, 4, 8};
  const std::size_t width = widths[random.below(3)];
  if (bytes.size() < width) return;
  const std::size_t at = random.below(bytes.size() - width + 1);
  switch (random.below(8)) {
    case 0: bytes.erase(at, width); return;
    case 1: bytes.insert(at, width, '\1'); return;
    case 2: bytes[at] = static_cast<char>(bytes[at] ^ (1 << random.below(8))); return;
    case 3: bytes[at] = static_cast<char>(random.next()); return;
    default: break;
  }
  const std::uint64_t word = random.below(4) == 0 ? random.next() : kWords[random.below(std::size(kWords))];
  for (std::size_t k = 0; k < width; ++k) bytes[at + k] = static_cast<char>(word >> (8 * k));
}

TEST(Snapshot, ForgedContentIsRefusedOrRuns) {
  World good = small_world();
  const std::string snapshot = good.save();
  const std::vector<SnapshotSection> sections = sections_of(snapshot);
  Random random(2024);
  int accepted = 0;
  for (int round = 0; round < 2500; ++round) {
    std::vector<SnapshotSection> bad = sections;
    const std::uint64_t changes = 1 + random.below(3);
    for (std::uint64_t k = 0; k < changes; ++k) mutate(random, bad[random.below(bad.size())].content);
    World world;
    const std::string before = round % 50 == 0 ? world.save() : "";
    if (refusal(world, pack_sections(bad)) != "") {
      ASSERT_TRUE(before.empty() || world.save() == before);
      continue;
    }
    ++accepted;
    WorldSettings settings = world.settings();
    settings.iterations = std::min(settings.iterations, 12);  // a large number is allowed, and takes for ever
    if (settings.iterations != world.settings().iterations) world.set_settings(settings);
    for (int step = 0; step < 100; ++step) ASSERT_NO_THROW(world.step(kDt)) << "round " << round;
    (void)world.contacts();
    World again;
    ASSERT_EQ(refusal(again, world.save()), "") << "round " << round;
  }
  EXPECT_GT(accepted, 100);
  EXPECT_LT(accepted, 2400);
}

}  // namespace
}  // namespace cairn
