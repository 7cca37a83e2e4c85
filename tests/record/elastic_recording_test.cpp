// SPDX-License-Identifier: MIT
// Recordings of elastic solids: what is read is what was stepped; the run can be computed again; other files are
// errors.
#include "cairn/record/elastic_recording.h"

#include <gtest/gtest.h>

#include <fstream>

#include "scenes/elastic_scenes.h"
#include "tests/io/temporary_folder.h"
#include "tests/record/inflated.h"

namespace cairn {
namespace {

scenes::ElasticScene small_scene() {
  return scenes::make_elastic_scene("squeeze", {{"spacing", "0.06"}}).value_or_throw();
}

std::string recorded(const TemporaryFolder& folder, scenes::ElasticScene& scene, int steps,
                     const RecorderSettings& settings = {}) {
  const std::string path = folder.file("run.h5");
  const RecordingMeta meta{.scene = scene.name, .parameters = "spacing=0.06", .dt = scene.dt};
  ElasticRecorder recorder(path, scene.world, meta, settings);
  for (int k = 0; k < steps; ++k) {
    scene.world.step(scene.dt);
    recorder.add(scene.world);
  }
  recorder.close();
  return path;
}

TEST(ElasticRecording, HoldsEveryFrameAndTheStart) {
  const TemporaryFolder folder;
  scenes::ElasticScene scene = small_scene();
  const std::string path = recorded(folder, scene, 4);
  EXPECT_TRUE(is_elastic_recording(path));
  const ElasticRecordingInfo info = read_elastic_recording(path).value_or_throw();
  EXPECT_EQ(info.meta.scene, "squeeze");
  EXPECT_EQ(info.meta.parameters, "spacing=0.06");
  EXPECT_EQ(info.solids, 1);
  EXPECT_EQ(info.bodies, 2);
  EXPECT_EQ(info.frames, 5);
  ASSERT_EQ(info.hashes.size(), 4U);
  ElasticWorld again(ElasticSettings{});
  again.restore(info.start);
  for (std::int64_t k = 0; k < info.frames; ++k) {
    if (k > 0) {
      again.step(info.meta.dt);
      EXPECT_TRUE(again.state_hash() == info.hashes[to_index(k - 1)]);
      EXPECT_EQ(info.times[to_index(k - 1)], again.last_report().time);
      EXPECT_EQ(info.statistics[0][to_index(k - 1)], again.last_report().total.kinetic_energy);
    }
    const ElasticFrame expected = take_frame(again);
    const std::vector<ElasticFrame> frames = read_elastic_frames(path, k, 1).value_or_throw();
    ASSERT_EQ(frames.size(), 1U);
    EXPECT_EQ(frames[0].time, expected.time);
    EXPECT_EQ(frames[0].pose, expected.pose);
    ASSERT_EQ(frames[0].surfaces.size(), 1U);
    EXPECT_EQ(frames[0].surfaces[0].vertices, expected.surfaces[0].vertices);
    EXPECT_EQ(frames[0].surfaces[0].triangles, expected.surfaces[0].triangles);
    EXPECT_EQ(frames[0].surfaces[0].speed, expected.surfaces[0].speed);
  }
}

TEST(ElasticRecording, KeepsEveryNthFrameAndPacksAPage) {
  const TemporaryFolder folder;
  scenes::ElasticScene scene = small_scene();
  const std::string path = recorded(folder, scene, 4, {.every = 2});
  const ElasticRecordingInfo info = read_elastic_recording(path).value_or_throw();
  EXPECT_EQ(info.frames, 3);
  EXPECT_EQ(info.hashes.size(), 4U);
  const std::vector<ElasticFrame> frames = read_elastic_frames(path, 0, 3).value_or_throw();
  ElasticPagePacker packer(info, scene.world, {});
  for (const ElasticFrame& frame : frames) packer.add(frame);
  const std::string page = packer.take();
  EXPECT_EQ(page.substr(0, 8), kPageMagic);
  const std::string whole = inflated(std::string_view(page).substr(8));
  const std::size_t mark = whole.find("SURFACE1");
  ASSERT_NE(mark, std::string::npos);
  std::size_t bytes = mark + 8 + 8 + 4;
  for (const ElasticFrame& frame : frames)
    for (const SolidSurface& s : frame.surfaces) bytes += 16 + 16 * s.vertices.size() + 12 * s.triangles.size();
  EXPECT_EQ(whole.size(), bytes);
  ElasticPagePacker small(info, scene.world, {.max_bytes = 1000});
  EXPECT_THROW(
      {
        for (const ElasticFrame& frame : frames) small.add(frame);
      },
      InputError);
}

TEST(ElasticRecording, OtherFilesAreErrors) {
  const TemporaryFolder folder;
  const std::string path = folder.file("other.h5");
  std::ofstream(path) << "no HDF5";
  EXPECT_FALSE(is_elastic_recording(path));
  EXPECT_FALSE(read_elastic_recording(path));
  EXPECT_FALSE(read_elastic_frames(folder.file("missing.h5"), 0, 1));
  scenes::ElasticScene scene = small_scene();
  EXPECT_THROW(ElasticRecorder(path, scene.world, {}), InputError);  // it exists
}

}  // namespace
}  // namespace cairn
