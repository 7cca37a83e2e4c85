// SPDX-License-Identifier: MIT
// Pages: what the page will read is what was stepped, to single precision.
#include "cairn/record/page_data.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <map>

#include "scenes/scene.h"
#include "tests/io/temporary_folder.h"
#include "tests/record/inflated.h"

namespace cairn {
namespace {

float single(ByteReader& in) {
  float x = 0;
  in.number(x);
  return x;
}

template <class T>
T number(ByteReader& in) {
  T x{};
  in.number(x);
  return x;
}

std::string text(ByteReader& in) { return std::string(in.raw(number<std::uint64_t>(in))); }

void expect_pose(ByteReader& in, const Pose& pose) {
  const Quat& q = pose.orientation;
  for (const double x : {pose.position.x, pose.position.y, pose.position.z, q.w, q.x, q.y, q.z})
    EXPECT_EQ(single(in), static_cast<float>(x));
}

struct Recorded {
  TemporaryFolder folder;
  RecordingInfo info;
  std::vector<MotionFrame> frames;
  BodyPictures bodies{World{}};

  explicit Recorded(int steps) {
    scenes::Scene scene = scenes::make_scene("pyramid_3").value_or_throw();
    bodies = BodyPictures(scene.world);
    const std::string path = folder.file("run.h5");
    Recorder recorder(path, scene.world,
                      {.scene = scene.name, .solver = "s", .dt = scene.dt, .body_colours = {0, 0, 0xff102030u}});
    for (int k = 0; k < steps; ++k) scene.world.step(scene.dt), recorder.add(scene.world);
    recorder.close();
    info = read_recording(path).value_or_throw();
    frames = read_frames(path, 0, info.frames).value_or_throw();
  }
};

/// A ground and six equal boxes: two surfaces. Returns with the reader behind the bodies.
void expect_head(ByteReader& in, const Recorded& run) {
  EXPECT_EQ(text(in), "pyramid_3");
  EXPECT_EQ(text(in), "s");
  text(in);
  EXPECT_EQ(number<double>(in), run.info.meta.dt);
  ASSERT_EQ(number<std::uint64_t>(in), 2u);
  for (int s = 0; s < 2; ++s) {
    in.raw(12 * number<std::uint64_t>(in));
    const auto triangles = number<std::uint64_t>(in);
    in.raw(12 * triangles);
    if (s == 1) {
      EXPECT_EQ(triangles, 12u);  // of a box
    }
  }
  ASSERT_EQ(number<std::uint64_t>(in), 7u);
  for (std::size_t b = 0; b < 7; ++b) {
    text(in);
    EXPECT_EQ(text(in), run.info.bodies[b].shape);
    EXPECT_EQ(number<std::uint8_t>(in), b == 0 ? 0 : 1);
    EXPECT_EQ(single(in), static_cast<float>(run.info.bodies[b].mass));
    EXPECT_EQ(number<std::uint32_t>(in), b == 0 ? 0u : 1u);
    expect_pose(in, run.frames[0].pose[b]);
    EXPECT_EQ(number<std::uint32_t>(in), b == 2 ? 0xff102030u : 0u);
  }
}

void expect_statistics(ByteReader& in, const RecordingInfo& info) {
  ASSERT_EQ(number<std::uint64_t>(in), info.statistic_names.size());
  for (const std::string& name : info.statistic_names) EXPECT_EQ(text(in), name);
  ASSERT_EQ(number<std::uint64_t>(in), info.times.size());
  for (const double t : info.times) EXPECT_EQ(number<double>(in), t);
  for (const auto& column : info.statistics)
    for (const double x : column) EXPECT_EQ(single(in), static_cast<float>(x));
}

/// So many whole numbers, whose bytes stand apart.
std::vector<std::uint32_t> words(ByteReader& in, std::size_t count) {
  std::vector<std::uint32_t> out(count);
  for (int plane = 0; plane < 4; ++plane)
    for (std::uint32_t& word : out) word |= std::uint32_t{number<std::uint8_t>(in)} << (8 * plane);
  return out;
}

/// Columns of n things over all frames, by column, frame and thing.
std::vector<std::vector<float>> columns(ByteReader& in, std::size_t frames, std::size_t n, std::size_t width) {
  std::vector<std::vector<float>> out;
  for (std::size_t k = 0; k < width; ++k) {
    std::vector<std::uint32_t> bits = words(in, frames * n);
    for (std::size_t i = n; i < bits.size(); ++i) bits[i] += bits[i - n];
    out.emplace_back();
    for (const std::uint32_t word : bits) out.back().push_back(std::bit_cast<float>(word));
  }
  return out;
}

constexpr double kVelocityError = 0x1p-19, kPointError = 0x1p-15, kDirectionError = 0x1p-13;  // relative

void expect_near(float found, double x, double error) { EXPECT_NEAR(found, x, 1.01 * error * std::fabs(x) + 1e-38); }

void expect_bodies(ByteReader& in, const std::vector<MotionFrame>& frames) {
  const std::size_t n = frames[0].pose.size() - 1;  // all but the ground
  const auto pose = columns(in, frames.size(), n, 7), velocity = columns(in, frames.size(), n, 6);
  for (std::size_t f = 0; f < frames.size(); ++f)
    for (std::size_t b = 0; b < n; ++b) {
      const Pose& p = frames[f].pose[b + 1];
      const Velocity& v = frames[f].velocity[b + 1];
      EXPECT_EQ(pose[2][f * n + b], static_cast<float>(p.position.z));
      EXPECT_EQ(pose[3][f * n + b], static_cast<float>(p.orientation.w));
      expect_near(velocity[2][f * n + b], v.linear.z, kVelocityError);
      expect_near(velocity[5][f * n + b], v.angular.z, kVelocityError);
    }
  for (const MotionFrame& frame : frames)
    for (std::size_t b = 1; b <= n; ++b) EXPECT_EQ(number<std::uint8_t>(in), frame.awake[b]);
}

/// Contacts by the rule of the page: each is the difference to the one of the frame before that has the same bodies and
/// the same number among theirs.
void expect_contacts(ByteReader& in, const std::vector<MotionFrame>& frames) {
  std::size_t total = 0;
  for (const MotionFrame& frame : frames) {
    ASSERT_EQ(number<std::uint32_t>(in), frame.contacts.size());
    total += frame.contacts.size();
  }
  const std::vector<std::uint32_t> a = words(in, total), b = words(in, total);
  const std::string modes(in.raw(total));
  std::vector<std::vector<std::uint32_t>> vectors;
  for (int k = 0; k < 9; ++k) vectors.push_back(words(in, total));
  std::map<std::array<std::int32_t, 3>, std::size_t> before;
  std::size_t at = 0;
  for (const MotionFrame& frame : frames) {
    std::map<std::array<std::int32_t, 3>, std::size_t> now;
    std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> of_pair;
    std::uint32_t last = 0;
    for (const FrameContact& c : frame.contacts) {
      last += a[at];
      EXPECT_EQ(static_cast<std::int32_t>(last), c.body_a);
      EXPECT_EQ(static_cast<std::int32_t>(last + b[at]), c.body_b);
      EXPECT_EQ(modes[at], static_cast<char>(c.mode));
      const std::array<std::int32_t, 3> key{c.body_a, c.body_b, of_pair[{c.body_a, c.body_b}]++};
      const auto old = before.find(key);
      const double expected[] = {c.point.x,  c.point.y,   c.point.z,   c.normal.x, c.normal.y,
                                 c.normal.z, c.impulse.x, c.impulse.y, c.impulse.z};
      for (std::size_t k = 0; k < 9; ++k) {
        if (old != before.end()) vectors[k][at] += vectors[k][old->second];
        expect_near(std::bit_cast<float>(vectors[k][at]), expected[k], k < 3 ? kPointError : kDirectionError);
      }
      now[key] = at++;
    }
    before = std::move(now);
  }
}

TEST(PageData, HoldsWhatWasStepped) {
  const Recorded run(20);
  PagePacker packer(run.info, run.bodies, {.cameras = {{{1, 2, 3}, {4, 5, 6}, {0, 0, 1}, 50, "side"}}});
  for (const MotionFrame& frame : run.frames) packer.add(frame);
  const std::string bytes = packer.take();
  ASSERT_FALSE(run.frames.back().contacts.empty());
  ASSERT_EQ(bytes.substr(0, 8), kPageMagic);
  const std::string whole = inflated(std::string_view(bytes).substr(8));
  ByteReader in(whole);
  ASSERT_NO_FATAL_FAILURE(expect_head(in, run));
  EXPECT_EQ(number<std::uint64_t>(in), 0u);  // joints
  ASSERT_EQ(number<std::uint64_t>(in), 1u);  // cameras
  EXPECT_EQ(text(in), "side");
  for (const float x : {1.f, 2.f, 3.f, 4.f, 5.f, 6.f, 0.f, 0.f, 1.f, 50.f}) EXPECT_EQ(number<float>(in), x);
  ASSERT_NO_FATAL_FAILURE(expect_statistics(in, run.info));
  ASSERT_EQ(number<std::uint64_t>(in), 21u);
  for (const MotionFrame& frame : run.frames) EXPECT_EQ(number<double>(in), frame.time);
  for (const MotionFrame& frame : run.frames) EXPECT_EQ(number<std::int64_t>(in), frame.step);
  expect_bodies(in, run.frames);
  ASSERT_NO_FATAL_FAILURE(expect_contacts(in, run.frames));
  EXPECT_EQ(number<std::uint32_t>(in), 0u);  // readings of joints
  EXPECT_TRUE(in.finished());
}

TEST(PageData, RefusesWhatIsTooLargeForeignOrEmpty) {
  const Recorded run(3);
  PagePacker small(run.info, run.bodies, {.max_bytes = 50});
  EXPECT_THROW(for (const MotionFrame& frame : run.frames) small.add(frame), InputError);
  PagePacker heads(run.info, run.bodies, {.contacts = false, .max_bytes = 300});
  heads.add(run.frames[0]);  // 6 bodies: 342 bytes, but surfaces and statistics count as well
  EXPECT_THROW(heads.take(), InputError);
  PagePacker other(run.info, run.bodies);
  EXPECT_THROW(other.take(), InputError);
  MotionFrame foreign = run.frames[0];
  foreign.pose.pop_back();
  EXPECT_THROW(other.add(foreign), InputError);
  EXPECT_THROW(PagePacker(run.info, BodyPictures(World{})), InputError);
}

TEST(PageData, Base64OfTheStandard) {  // RFC 4648, section 10
  EXPECT_EQ(to_base64(""), "");
  EXPECT_EQ(to_base64("f"), "Zg==");
  EXPECT_EQ(to_base64("fo"), "Zm8=");
  EXPECT_EQ(to_base64("foo"), "Zm9v");
  EXPECT_EQ(to_base64("foob"), "Zm9vYg==");
  EXPECT_EQ(to_base64("fooba"), "Zm9vYmE=");
  EXPECT_EQ(to_base64("foobar"), "Zm9vYmFy");
  EXPECT_EQ(to_base64("\xff\xfe\xfd"), "//79");
}

}  // namespace
}  // namespace cairn
