// SPDX-License-Identifier: MIT
// cairn render: a recording as a film or a still, by POV-Ray and ffmpeg where they are installed.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "apps/cli/child_process.h"
#include "apps/cli/commands.h"
#include "apps/cli/csv.h"
#include "apps/cli/progress.h"
#include "apps/commands/scene_source.h"
#include "cairn/record/pictures.h"

namespace cairn::cli {

namespace {

namespace fs = std::filesystem;

void require_program(const char* name) {
  const ChildResult result =
      run_child({name, std::string(name) == "ffmpeg" ? "-version" : "--version"}, {.time_limit = 20});
  if (result.end == ChildEnd::not_started)
    fail_input(fmt::format("{} is not installed; on Debian: apt-get install {}", name, name), ErrorKind::unsupported);
}

void run_or_fail(const std::vector<std::string>& command) {
  const ChildResult result = run_child(command, {.time_limit = 3600, .interrupt = &interrupted()});
  if (result.ok() || result.end == ChildEnd::interrupted) return;
  const std::size_t tail = result.err.size() > 500 ? result.err.size() - 500 : 0;
  fail_input(fmt::format("{} failed ({}): {}", command[0], describe(result), result.err.substr(tail)), ErrorKind::io);
}

/// The frames of a film at `fps`, by number: the last one at or before every instant.
std::vector<std::int64_t> frames_at(const RenderOptions& o, const RecordingInfo& info) {
  std::vector<double> times;
  constexpr std::int64_t kBatch = 64;
  for (std::int64_t first = 0; first < info.frames; first += kBatch)
    for (const MotionFrame& frame : read_frames(o.file, first, std::min(kBatch, info.frames - first)).value_or_throw())
      times.push_back(frame.time);
  std::vector<std::int64_t> chosen;
  if (times.empty()) fail_input(fmt::format("{} has no frames", o.file));
  if (o.still)
    return {std::clamp<std::int64_t>(std::upper_bound(times.begin(), times.end(), *o.still) - times.begin() - 1, 0,
                                     info.frames - 1)};
  const double begin = times.front();
  for (std::int64_t k = 0; begin + static_cast<double>(k) / o.fps <= times.back() + 1e-9; ++k)
    chosen.push_back(std::upper_bound(times.begin(), times.end(), begin + static_cast<double>(k) / o.fps + 1e-9) -
                     times.begin() - 1);
  return chosen;
}

/// The first camera of the scene file, else one that sees all.
PictureCamera camera_of(const RecordingInfo& info, const BodyPictures& bodies, const MotionFrame& frame) {
  if (!info.meta.scene_text.empty()) {
    const Expected<SceneFile> file = parse_scene(info.meta.scene_text, info.meta.scene, "");
    if (file && !file->cameras.empty()) {
      const SceneCamera& c = file->cameras.front();
      return {c.position, c.target, c.up, c.field_of_view};
    }
  }
  return camera_for(bodies, frame);
}

void render_picture(const RenderOptions& o, const std::string& pov, const std::string& png) {
  run_or_fail({"povray", "+I" + pov, "+O" + png, fmt::format("+W{}", o.width), fmt::format("+H{}", o.height), "+A0.3",
               "-D", "+FN"});
}

}  // namespace

int run_render(const RenderOptions& o) {
  if (!o.force) check_can_write(o.out).value_or_throw();
  require_program("povray");
  if (!o.still) require_program("ffmpeg");
  const RecordingInfo info = read_recording(o.file).value_or_throw();
  const World world = world_of(info, o.file);
  const BodyPictures bodies(world);
  const std::vector<std::int64_t> chosen = frames_at(o, info);
  const std::string folder = o.out + ".frames";
  if (fs::exists(folder))
    fail_input(fmt::format("{} is in the way: remove it or choose another name", folder), ErrorKind::io);
  fs::create_directory(folder);
  PictureCamera camera;
  {
    Progress progress("render");
    for (std::size_t k = 0; k < chosen.size() && !interrupted(); ++k) {
      const MotionFrame frame = read_frames(o.file, chosen[k], 1).value_or_throw().at(0);
      if (k == 0) camera = camera_of(info, bodies, frame);
      const std::string name = fmt::format("{}/frame_{:06}", folder, k);
      std::move(write_text_file(name + ".pov", to_pov(bodies, frame, camera), true)).value_or_throw();
      render_picture(o, name + ".pov", name + ".png");
      progress.update(fmt::format("frame {} of {}", k + 1, chosen.size()));
    }
  }
  if (interrupted()) return interrupt_code();
  if (o.still)
    fs::rename(folder + "/frame_000000.png", o.out);
  else
    run_or_fail({"ffmpeg", "-y", "-framerate", fmt::format("{}", o.fps), "-i", folder + "/frame_%06d.png", "-c:v",
                 "libx264", "-pix_fmt", "yuv420p", "-crf", "20", o.out});
  fs::remove_all(folder);
  fmt::print(stderr, "wrote {}\n", o.out);
  return kDone;
}

}  // namespace cairn::cli
