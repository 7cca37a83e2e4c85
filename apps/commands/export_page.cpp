// SPDX-License-Identifier: MIT
// The pages of the viewer, and cairn export RUN.h5 run.html: a recording and the viewer in one file that opens from
// disk, without a network.
#include <fmt/format.h>

#include <algorithm>

#include "apps/cli/commands.h"
#include "apps/cli/csv.h"
#include "apps/cli/progress.h"
#include "apps/commands/scene_source.h"
#include "apps/commands/viewer_script.h"
#include "apps/view/viewer_page.h"
#include "cairn/io/deflate.h"
#include "cairn/record/elastic_recording.h"
#include "cairn/record/page_data.h"

namespace cairn::cli {

namespace {

constexpr std::int64_t kBatch = 32;  // frames read at once

/// Those of the scene file that was run, which the recording holds.
std::vector<PictureCamera> cameras_in(const RecordingInfo& info) {
  if (info.meta.scene_text.empty()) return {};
  const Expected<SceneFile> file = parse_scene(info.meta.scene_text, info.meta.scene, "");
  return file ? cameras_of(*file) : std::vector<PictureCamera>{};
}

/// Every o.every-th frame, and the last.
std::string packed(const ExportOptions& o, const RecordingInfo& info, const BodyPictures& bodies,
                   const std::string& joints) {
  // Three bytes become four characters.
  const auto max_bytes = static_cast<std::size_t>(0.75e6 * o.max_mb);
  PagePacker packer(info, bodies,
                    {.cameras = cameras_in(info), .joints = joints, .contacts = o.contacts, .max_bytes = max_bytes});
  Progress progress("export");
  for (std::int64_t first = 0; first < info.frames && !interrupted(); first += kBatch) {
    const auto frames = read_frames(o.problem, first, std::min(kBatch, info.frames - first)).value_or_throw();
    for (std::size_t k = 0; k < frames.size(); ++k) {
      const std::int64_t number = first + static_cast<std::int64_t>(k);
      if (number % o.every == 0 || number + 1 == info.frames) packer.add(frames[k]);
    }
    progress.update(fmt::format("frame {} of {}", first, info.frames));
  }
  return interrupted() ? std::string() : packer.take();
}

constexpr const char* kStarter = R"(<script>
(async () => {
  if (!window.DecompressionStream) { document.body.append("This page needs a browser of 2023 or newer."); return; }
  const text = atob(document.getElementById("program").textContent);
  const bytes = Uint8Array.from(text, (letter) => letter.charCodeAt(0));
  const whole = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  const script = document.createElement("script");
  script.textContent = await new Response(whole).text();
  document.body.append(script);
})();
</script>
)";

/// Nothing of the data is text of the page, and the page may fetch nothing; `connect` is where it may.
std::string page_with(const std::string& element, const char* connect) {
  std::string page =
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Cairn</title>\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'unsafe-inline'; "
      "style-src 'unsafe-inline'; img-src data: blob:; font-src data:";
  page += connect;
  page += "\">\n</head><body>\n";
  page += element;
  // The program of the page is compressed like its data; the browser inflates it and runs it.
  page += "\n<script type=\"text/plain\" id=\"program\">" + to_base64(deflate(viewer_script())) + "</script>\n";
  page += kStarter;
  page += "</body></html>\n";
  return page;
}

std::string page_of_recording(const std::string& data) {
  return page_with("<script type=\"text/plain\" id=\"recording\">" + to_base64(data) + "</script>", "");
}

/// The same of a recording of elastic solids; empty when interrupted.
std::string packed_elastic(const ExportOptions& o) {
  const ElasticRecordingInfo info = read_elastic_recording(o.problem).value_or_throw();
  ElasticWorld world({});
  world.restore(info.start);
  ElasticPagePacker packer(info, world, {.max_bytes = static_cast<std::size_t>(0.75e6 * o.max_mb)});
  Progress progress("export");
  for (std::int64_t k = 0; k < info.frames && !interrupted(); ++k) {
    if (k % o.every != 0 && k + 1 != info.frames) continue;
    packer.add(read_elastic_frames(o.problem, k, 1).value_or_throw().front());
    progress.update(fmt::format("frame {} of {}", k, info.frames));
  }
  return interrupted() ? std::string() : packer.take();
}

}  // namespace

void require_viewer() {
  if (viewer_script().empty())
    fail_input(
        "this program was built without the viewer: apt-get install nodejs npm, then configure and build again with a "
        "network (cmake --preset release && ninja -C build/release cairn_cli)",
        ErrorKind::unsupported);
}

std::string recording_page(const ExportOptions& o) {
  if (is_elastic_recording(o.problem)) {
    const std::string data = packed_elastic(o);
    return data.empty() ? data : page_of_recording(data);
  }
  const RecordingInfo info = read_recording(o.problem).value_or_throw();
  const World world = world_of(info, o.problem);
  const BodyPictures bodies = pictures_of(info, world);
  const std::string data = packed(o, info, bodies, page_joints(world, info.meta.joint_names));
  if (interrupted()) return {};
  return page_of_recording(data);
}

std::string live_page() {
  return page_with("<script type=\"application/json\" id=\"live\">{}</script>",
                   "; connect-src ws://127.0.0.1:* ws://localhost:*");
}

int run_export_page(const ExportOptions& o) {
  if (!o.force) check_can_write(o.file).value_or_throw();
  require_viewer();
  const std::string page = recording_page(o);
  if (interrupted()) return interrupt_code();
  std::move(write_text_file(o.file, page, o.force)).value_or_throw();
  fmt::print(stderr, "wrote {} ({:.1f} MB): open it in a browser\n", o.file, 1e-6 * static_cast<double>(page.size()));
  return kDone;
}

}  // namespace cairn::cli
