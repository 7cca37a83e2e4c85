// SPDX-License-Identifier: MIT
// cairn convert: robots and scenes to scene files, meshes to meshes, recordings to tables and to ParaView.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "apps/cli/commands.h"
#include "apps/cli/csv.h"
#include "apps/cli/progress.h"
#include "apps/commands/scene_source.h"
#include "cairn/geometry/tessellate.h"
#include "cairn/io/confined_file.h"
#include "cairn/io/mesh_file.h"
#include "cairn/record/pictures.h"
#include "cairn/record/recording.h"

namespace cairn::cli {

namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kBatch = 16;  // frames read at once

std::string ending_of(const std::string& path) {
  std::string end = fs::path(path).extension().string();
  std::transform(end.begin(), end.end(), end.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return end;
}

void write(const ConvertOptions& o, std::string_view text) {
  std::move(write_text_file(o.to, text, o.force)).value_or_throw();
  fmt::print(stderr, "wrote {}\n", o.to);
}

void write_mesh(const ConvertOptions& o, const MeshFile& mesh) {
  write(o, ending_of(o.to) == ".stl" ? to_stl(mesh) : to_obj(mesh));
  fmt::print("{} vertices, {} triangles\n", mesh.vertices.size(), mesh.triangles.size());
}

MeshFile read_mesh(const std::string& path) {
  const std::string folder = fs::path(path).parent_path().string();
  const std::string bytes = read_whole_file(path).value_or_throw();
  MeshFile mesh =
      parse_mesh(bytes, path, [&](const std::string& name) { return read_confined(folder, name); }).value_or_throw();
  for (const std::string& note : mesh.notes) fmt::print(stderr, "note: {}\n", printable(note));
  return mesh;
}

/// All surfaces of a world as it is, placed.
MeshFile mesh_of(const World& world) {
  Tessellation all;
  for (const BodyId body : world.bodies())
    for (const ShapeId shape : world.shapes_of(body)) {
      const ShapeDef& def = world.shape_def(shape);
      append(all, tessellate(def.shape), world.view(body).pose * def.pose);
    }
  return {std::move(all.vertices), std::move(all.triangles), {}};
}

void convert_scene(const ConvertOptions& o) {
  const SceneFile file = open_scene_file(o.from, o.source).value_or_throw();
  const LoadedScene scene = cairn::build_scene(file).value_or_throw();  // refuses what could not be run
  for (const std::string& note : scene.notes) fmt::print(stderr, "note: {}\n", printable(note));
  if (ending_of(o.to) != ".json") return write_mesh(o, mesh_of(scene.world));
  const bool has_files = !file.folder.empty() && fs::absolute(file.folder) != fs::absolute(o.to).parent_path();
  if (has_files) fmt::print(stderr, "note: mesh files are looked for in the folder of {}\n", printable(o.to));
  write(o, write_scene(file));
}

/// Readings of joints by step, where there is a frame of it.
std::map<std::int64_t, std::vector<JointReading>> readings_of(const RecordingInfo& info, const std::string& file) {
  std::map<std::int64_t, std::vector<JointReading>> readings;
  if (info.joints.empty()) return readings;
  for (std::int64_t first = 0; first < info.frames; first += kBatch)
    for (MotionFrame& frame : read_frames(file, first, std::min(kBatch, info.frames - first)).value_or_throw())
      readings[frame.step] = std::move(frame.joints);
  return readings;
}

std::string statistics_csv(const RecordingInfo& info, const std::string& file) {
  std::vector<std::string> head{"step", "time"};
  head.insert(head.end(), info.statistic_names.begin(), info.statistic_names.end());
  for (const RecordedJoint& joint : info.joints)
    if (!joint.name.empty())
      for (const char* what : kReadingNames) head.push_back(fmt::format("{}.{}", joint.name, what));
  head.emplace_back("hash");
  Csv csv(head);
  const auto readings = readings_of(info, file);
  const std::vector<JointReading> none(info.joints.size(), no_reading());
  for (std::size_t k = 0; k < info.hashes.size(); ++k) {
    const std::int64_t step = info.first_step + static_cast<std::int64_t>(k) + 1;
    csv.cell(step).cell(info.times[k]);
    for (const std::vector<double>& column : info.statistics) csv.cell(column[k]);
    const auto found = readings.find(step);
    const std::vector<JointReading>& row = found == readings.end() ? none : found->second;
    for (std::size_t j = 0; j < info.joints.size(); ++j) {
      if (info.joints[j].name.empty()) continue;
      const JointReading& r = row.at(j);
      csv.cell(r.position).cell(r.velocity).cell(r.effort).cell(r.force).cell(r.torque);
    }
    csv.cell(info.hashes[k].to_string());
    csv.end_row();
  }
  return std::string(csv.text());
}

void convert_recording(const ConvertOptions& o) {
  const RecordingInfo info = read_recording(o.from).value_or_throw();
  if (ending_of(o.to) == ".csv") return write(o, statistics_csv(info, o.from));
  const World world = world_of(info, o.from);
  const BodyPictures bodies = pictures_of(info, world);
  const std::string stem = (fs::path(o.to).parent_path() / fs::path(o.to).stem()).string();
  std::vector<std::pair<std::string, double>> files;
  for (std::int64_t first = 0; first < info.frames && !interrupted(); first += kBatch) {
    const auto frames = read_frames(o.from, first, std::min(kBatch, info.frames - first)).value_or_throw();
    for (const MotionFrame& frame : frames) {
      const std::string file = fmt::format("{}_{:06}.vtp", stem, frame.step);
      std::move(write_text_file(file, to_vtp(bodies, frame), o.force)).value_or_throw();
      files.emplace_back(fs::path(file).filename().string(), frame.time);
    }
  }
  write(o, to_pvd(files));
}

bool is_one_of(const std::string& end, std::initializer_list<const char*> list) {
  return std::any_of(list.begin(), list.end(), [&](const char* other) { return end == other; });
}

}  // namespace

int run_convert(const ConvertOptions& o) {
  const std::string from = ending_of(o.from), to = ending_of(o.to);
  std::error_code error;
  if (fs::equivalent(o.from, o.to, error)) fail_input(fmt::format("{} is what is to be read: give another name", o.to));
  if (!o.force) check_can_write(o.to).value_or_throw();
  if (is_one_of(from, {".urdf", ".json"}) && is_one_of(to, {".json", ".obj", ".stl"})) {
    convert_scene(o);
  } else if (is_one_of(from, {".obj", ".stl", ".gltf", ".glb"}) && is_one_of(to, {".obj", ".stl"})) {
    write_mesh(o, read_mesh(o.from));
  } else if (from == ".h5" && is_one_of(to, {".csv", ".pvd"})) {
    convert_recording(o);
  } else {
    fail_input(
        fmt::format("cannot convert '{}' to '{}': .urdf and .json to .json, .obj, .stl; .obj, .stl, .gltf, .glb to "
                    ".obj, .stl; .h5 to .csv, .pvd",
                    from, to));
  }
  return interrupted() ? interrupt_code() : kDone;
}

}  // namespace cairn::cli
