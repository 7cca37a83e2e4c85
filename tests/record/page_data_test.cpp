// SPDX-License-Identifier: MIT
// Pages: what the page will read is what was stepped, to single precision.
#include "cairn/record/page_data.h"

#include <gtest/gtest.h>

#include "scenes/scene.h"
#include "tests/io/temporary_folder.h"

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

void expect_vector(ByteReader& in, const Vec3& v) {
  for (const double x : {v.x, v.y, v.z}) EXPECT_EQ(single(in), static_cast<float>(x));
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
    Recorder recorder(path, scene.world, {.scene = scene.name, .solver = "s", .dt = scene.dt});
    for (int k = 0; k < steps; ++k) scene.world.step(scene.dt), recorder.add(scene.world);
    recorder.close();
    info = read_recording(path).value_or_throw();
    frames = read_frames(path, 0, info.frames).value_or_throw();
  }
};

/// A ground and six equal boxes: two surfaces. Returns with the reader behind the bodies.
void expect_head(ByteReader& in, const Recorded& run) {
  EXPECT_EQ(in.raw(8), kPageMagic);
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

void expect_frame(ByteReader& in, const MotionFrame& frame) {
  EXPECT_EQ(number<double>(in), frame.time);
  EXPECT_EQ(number<std::int64_t>(in), frame.step);
  for (std::size_t b = 1; b < frame.pose.size(); ++b) expect_pose(in, frame.pose[b]);
  for (std::size_t b = 1; b < frame.pose.size(); ++b)
    expect_vector(in, frame.velocity[b].linear), expect_vector(in, frame.velocity[b].angular);
  for (std::size_t b = 1; b < frame.pose.size(); ++b) EXPECT_EQ(number<std::uint8_t>(in), frame.awake[b]);
  ASSERT_EQ(number<std::uint64_t>(in), frame.contacts.size());
  for (const FrameContact& c : frame.contacts) {
    EXPECT_EQ(number<std::int32_t>(in), c.body_a);
    EXPECT_EQ(number<std::int32_t>(in), c.body_b);
    EXPECT_EQ(number<std::uint8_t>(in), static_cast<std::uint8_t>(c.mode));
    expect_vector(in, c.point), expect_vector(in, c.normal), expect_vector(in, c.impulse);
  }
}

TEST(PageData, HoldsWhatWasStepped) {
  const Recorded run(20);
  PagePacker packer(run.info, run.bodies, {.cameras = {{{1, 2, 3}, {4, 5, 6}, {0, 0, 1}, 50}}});
  for (const MotionFrame& frame : run.frames) packer.add(frame);
  const std::string bytes = packer.take();
  ASSERT_FALSE(run.frames.back().contacts.empty());
  ByteReader in(bytes);
  ASSERT_NO_FATAL_FAILURE(expect_head(in, run));
  ASSERT_NO_FATAL_FAILURE(expect_statistics(in, run.info));
  ASSERT_EQ(number<std::uint64_t>(in), 21u);
  for (const MotionFrame& frame : run.frames) ASSERT_NO_FATAL_FAILURE(expect_frame(in, frame));
  ASSERT_EQ(number<std::uint64_t>(in), 1u);
  for (const float x : {1.f, 2.f, 3.f, 4.f, 5.f, 6.f, 0.f, 0.f, 1.f, 50.f}) EXPECT_EQ(number<float>(in), x);
  EXPECT_THROW(in.raw(1), InputError);  // nothing is left
}

TEST(PageData, RefusesWhatIsTooLargeForeignOrEmpty) {
  const Recorded run(3);
  PagePacker small(run.info, run.bodies, {.max_bytes = 1000});
  EXPECT_THROW(for (const MotionFrame& frame : run.frames) small.add(frame), InputError);
  PagePacker heads(run.info, run.bodies, {.contacts = false, .max_bytes = 1000});
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
