// SPDX-License-Identifier: MIT
// The C interface: the same bits as World, errors as values, callbacks that edit, and bad pointers.
#include "c/cairn_c.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cairn/world/world.h"

namespace cairn {
namespace {

constexpr double kStep = 1.0 / 60;

/// A floor and a box above it; destroyed at the end.
struct CBox {
  CairnWorld* world = nullptr;
  CairnBody floor{}, box{};

  explicit CBox(const CairnSettings* settings = nullptr) {
    EXPECT_EQ(cairn_world_create(settings, &world), CAIRN_OK) << cairn_error();
    const double up[3] = {0, 0, 1};
    CairnShape* shape = nullptr;
    EXPECT_EQ(cairn_half_space(up, 0, &shape), CAIRN_OK);
    CairnBodyDef def = cairn_body_def();
    def.kind = CAIRN_FIXED;
    floor = add(def, shape);
    EXPECT_EQ(cairn_box(0.5, 0.5, 0.5, &shape), CAIRN_OK);
    def = cairn_body_def();
    def.position[2] = 1;
    box = add(def, shape);
  }
  ~CBox() { cairn_world_destroy(world); }

  CairnBody add(const CairnBodyDef& def, CairnShape* shape) {
    CairnBody body{};
    EXPECT_EQ(cairn_add_body(world, &def, &shape, 1, &body), CAIRN_OK) << cairn_error();
    cairn_shape_destroy(shape);
    return body;
  }
  std::string hash() const {
    char text[33];
    EXPECT_EQ(cairn_state_hash(world, text), CAIRN_OK);
    return text;
  }
};

TEST(CInterface, SameBitsAsTheWorld) {
  CBox c;
  World world;
  world.add_body({.kind = BodyKind::fixed}, {{.shape = make_half_space({0, 0, 1}, 0)}});
  world.add_body({.pose = {{0, 0, 1}, {}}}, {{.shape = make_box({0.5, 0.5, 0.5})}});
  for (int i = 0; i < 90; ++i) {
    CairnReport report{};
    ASSERT_EQ(cairn_step(c.world, kStep, &report), CAIRN_OK);
    world.step(kStep);
    ASSERT_EQ(c.hash(), world.state_hash().to_string());
    EXPECT_EQ(report.contacts, world.last_report().contacts);
  }
  EXPECT_EQ(cairn_c_version(), CAIRN_C_VERSION);
}

TEST(CInterface, StatesGoOnToTheSameBits) {
  CBox first, second;
  for (int i = 0; i < 30; ++i) cairn_step(first.world, kStep, nullptr);
  size_t size = 0;
  ASSERT_EQ(cairn_save(first.world, nullptr, 0, &size), CAIRN_OK);
  std::vector<char> bytes(size);
  EXPECT_EQ(cairn_save(first.world, bytes.data(), size - 1, &size), CAIRN_BAD_INPUT);
  ASSERT_EQ(cairn_save(first.world, bytes.data(), bytes.size(), &size), CAIRN_OK);
  ASSERT_EQ(cairn_restore(second.world, bytes.data(), size), CAIRN_OK);
  for (CBox* c : {&first, &second})
    for (int i = 0; i < 30; ++i) cairn_step(c->world, kStep, nullptr);
  EXPECT_EQ(first.hash(), second.hash());
  bytes[size / 2] ^= 1;
  EXPECT_EQ(cairn_restore(second.world, bytes.data(), size), CAIRN_BAD_INPUT);
  EXPECT_EQ(first.hash(), second.hash());
}

TEST(CInterface, ErrorsAreTold) {
  CBox c;
  CairnShape* shape = nullptr;
  EXPECT_EQ(cairn_sphere(-1, &shape), CAIRN_BAD_INPUT);
  EXPECT_NE(std::string(cairn_error()), "");
  EXPECT_EQ(shape, nullptr);
  EXPECT_EQ(cairn_sphere(1, nullptr), CAIRN_BAD_INPUT);
  EXPECT_EQ(cairn_step(nullptr, kStep, nullptr), CAIRN_BAD_INPUT);
  EXPECT_EQ(cairn_step(c.world, -1, nullptr), CAIRN_BAD_INPUT);
  CairnSettings settings = cairn_settings();
  settings.solver = "soft_stop";
  CairnWorld* world = nullptr;
  EXPECT_EQ(cairn_world_create(nullptr, nullptr), CAIRN_BAD_INPUT);
  EXPECT_EQ(cairn_world_create(&settings, &world), CAIRN_BAD_INPUT);
  EXPECT_NE(std::string(cairn_error()).find("soft_step"), std::string::npos);
  settings = cairn_settings();
  settings.size = 7;
  EXPECT_EQ(cairn_world_create(&settings, &world), CAIRN_BAD_INPUT);
  EXPECT_EQ(world, nullptr);
  EXPECT_EQ(cairn_remove_body(c.world, cairn_no_body()), CAIRN_BAD_INPUT);
  EXPECT_EQ(cairn_restore(c.world, nullptr, 5), CAIRN_BAD_INPUT);
}

struct Heard {
  CBox* c;
  int events = 0, refused = 0;
};

TEST(CInterface, ListenerMayEditAndFilterMayNot) {
  CBox c;
  Heard heard{&c};
  cairn_set_listener(
      c.world,
      [](void* user, const CairnContactEvent* event) {
        auto& h = *static_cast<Heard*>(user);
        ++h.events;
        EXPECT_EQ(cairn_step(h.c->world, kStep, nullptr), CAIRN_BAD_INPUT);
        const double up[3] = {0, 0, 2}, none[3] = {};
        if (event->kind == 0) {
          EXPECT_EQ(cairn_set_velocity(h.c->world, h.c->box, up, none), CAIRN_OK);
        }
      },
      &heard);
  cairn_set_filter(
      c.world,
      [](void* user, CairnBody, CairnBody body_b) {
        auto& h = *static_cast<Heard*>(user);
        h.refused += cairn_remove_body(h.c->world, body_b) == CAIRN_BAD_INPUT ? 1 : 0;
        return int32_t{1};
      },
      &heard);
  for (int i = 0; i < 60; ++i) ASSERT_EQ(cairn_step(c.world, kStep, nullptr), CAIRN_OK) << cairn_error();
  EXPECT_GT(heard.events, 1);
  EXPECT_GT(heard.refused, 0);
}

TEST(CInterface, RaysAndArrays) {
  CBox c;
  const CairnRay ray{{0, 0, 5}, {0, 0, -2}, 10};
  CairnHit hit{};
  ASSERT_EQ(cairn_cast_ray(c.world, &ray, &hit), CAIRN_OK);
  EXPECT_EQ(hit.any, 1);
  EXPECT_EQ(hit.body.index, c.box.index);
  EXPECT_NEAR(hit.distance, 3.5, 1e-12);
  const CairnRay away{{0, 0, 5}, {0, 0, 1}, 10};
  ASSERT_EQ(cairn_cast_ray(c.world, &away, &hit), CAIRN_OK);
  EXPECT_EQ(hit.any, 0);
  CairnArrays arrays{};
  ASSERT_EQ(cairn_get_arrays(c.world, &arrays), CAIRN_OK);
  ASSERT_EQ(arrays.count, 2u);
  const auto* row = reinterpret_cast<const char*>(arrays.position) + c.box.index * arrays.pose_stride;
  EXPECT_EQ(reinterpret_cast<const double*>(row)[2], 1);
}

}  // namespace
}  // namespace cairn
