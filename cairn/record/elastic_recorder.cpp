// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "cairn/io/hdf5.h"
#include "cairn/record/elastic_recording.h"

namespace cairn {

namespace {

using Type = Hdf5Writer::Type;

constexpr std::int64_t kChunk = 4096;  // rows
constexpr const char* kStatistics[] = {"kinetic_energy", "elastic_energy", "volume",         "mass",      "mass_error",
                                       "max_speed",      "rows",           "touching",       "overlap",   "staggered",
                                       "contact_sets",   "friction_sets",  "factorisations", "sub_steps", "frozen"};

void put(std::vector<double>& out, const Vec3& v) { out.insert(out.end(), {v.x, v.y, v.z}); }

}  // namespace

std::span<const char* const> elastic_statistic_names() { return kStatistics; }

std::vector<double> statistics_of(const ElasticReport& r) {
  const ElasticContactReport& c = r.contact;
  return {r.total.kinetic_energy,
          r.total.elastic_energy,
          r.total.volume,
          r.total.mass,
          r.mass_error,
          r.total.max_speed,
          static_cast<double>(c.rows),
          static_cast<double>(c.touching),
          c.overlap,
          static_cast<double>(c.staggered_max),
          static_cast<double>(c.contact_sets_max),
          static_cast<double>(c.friction_sets_max),
          static_cast<double>(c.factorisations_max),
          static_cast<double>(r.sub_steps),
          static_cast<double>(r.frozen)};
}

ElasticFrame take_frame(const ElasticWorld& world) {
  ElasticFrame frame;
  frame.step = world.last_report().step;
  frame.time = world.last_report().time;
  for (int i = 0; i < world.body_count(); ++i) frame.surfaces.push_back(find_surface(world.body(i)));
  for (const BodyId body : world.rigid().bodies()) {
    const BodyView view = world.rigid().view(body);
    frame.pose.push_back(view.pose);
    frame.velocity.push_back(view.velocity);
  }
  return frame;
}

struct ElasticRecorder::File {
  explicit File(const std::string& path) : partial(path + ".partial"), hdf5((std::remove(partial.c_str()), partial)) {}

  std::string partial;
  Hdf5Writer hdf5;
  std::vector<std::string> statistic_paths;
  std::int64_t vertices = 0, triangles = 0;  ///< written

  void create(const ElasticWorld& world, const RecordingMeta& meta);
  void write(const ElasticFrame& frame);
  void write_step(const ElasticWorld& world);
};

void ElasticRecorder::File::create(const ElasticWorld& world, const RecordingMeta& meta) {
  hdf5.attribute("/", "format", "cairn-elastic-recording");
  hdf5.attribute("/", "version", double{kElasticRecordingVersion});
  hdf5.attribute("/", "scene", meta.scene);
  hdf5.attribute("/", "parameters", meta.parameters);
  hdf5.attribute("/", "program", meta.program);
  hdf5.attribute("/", "dt", meta.dt);
  const auto solids = static_cast<std::int64_t>(world.body_count());
  const auto bodies = static_cast<std::int64_t>(world.rigid().body_count());
  hdf5.attribute("/", "solids", static_cast<double>(solids));
  hdf5.attribute("/", "bodies", static_cast<double>(bodies));
  const std::string start = world.save();
  hdf5.create_table("/start", Type::u8, {}, 1 << 18);
  hdf5.append("/start", std::span(reinterpret_cast<const std::uint8_t*>(start.data()), start.size()));
  for (const char* group : {"/frames", "/surface", "/stats"}) hdf5.group(group);
  hdf5.create_table("/frames/step", Type::i64, {}, 1024);
  hdf5.create_table("/frames/time", Type::f64, {}, 1024);
  hdf5.create_table("/frames/pose", Type::f64, {bodies, 7}, 64);
  hdf5.create_table("/frames/velocity", Type::f64, {bodies, 6}, 64);
  hdf5.create_table("/surface/end", Type::i64, {solids, 2}, 64);
  hdf5.create_table("/surface/vertex", Type::f64, {3}, kChunk);
  hdf5.create_table("/surface/speed", Type::f64, {}, kChunk);
  hdf5.create_table("/surface/triangle", Type::i32, {3}, kChunk);
  hdf5.create_table("/hash", Type::u64, {2}, 1024);
  hdf5.create_table("/stats/time", Type::f64, {}, 1024);
  for (const char* name : kStatistics) {
    statistic_paths.push_back(fmt::format("/stats/{}", name));
    hdf5.create_table(statistic_paths.back(), Type::f64, {}, 1024);
  }
}

void ElasticRecorder::File::write(const ElasticFrame& frame) {
  const Hdf5Quiet quiet;
  std::vector<double> pose, velocity, vertex, speed;
  std::vector<std::int64_t> end;
  std::vector<std::int32_t> triangle;
  for (const Pose& p : frame.pose) {
    put(pose, p.position);
    pose.insert(pose.end(), {p.orientation.w, p.orientation.x, p.orientation.y, p.orientation.z});
  }
  for (const Velocity& v : frame.velocity) {
    put(velocity, v.linear);
    put(velocity, v.angular);
  }
  for (const SolidSurface& s : frame.surfaces) {
    for (const Vec3& v : s.vertices) put(vertex, v);
    speed.insert(speed.end(), s.speed.begin(), s.speed.end());
    for (const auto& t : s.triangles) triangle.insert(triangle.end(), t.begin(), t.end());
    vertices += static_cast<std::int64_t>(s.vertices.size());
    triangles += static_cast<std::int64_t>(s.triangles.size());
    end.insert(end.end(), {vertices, triangles});
  }
  hdf5.append("/frames/step", std::span<const std::int64_t>(&frame.step, 1));
  hdf5.append("/frames/time", std::span<const double>(&frame.time, 1));
  hdf5.append("/frames/pose", pose);
  hdf5.append("/frames/velocity", velocity);
  hdf5.append("/surface/end", end);
  hdf5.append("/surface/vertex", vertex);
  hdf5.append("/surface/speed", speed);
  hdf5.append("/surface/triangle", triangle);
}

void ElasticRecorder::File::write_step(const ElasticWorld& world) {
  const Hdf5Quiet quiet;
  const Hash128 hash = world.state_hash();
  const std::uint64_t words[2] = {hash.high, hash.low};
  hdf5.append("/hash", words);
  const double time = world.last_report().time;
  hdf5.append("/stats/time", std::span<const double>(&time, 1));
  const std::vector<double> numbers = statistics_of(world.last_report());
  for (std::size_t k = 0; k < numbers.size(); ++k)
    hdf5.append(statistic_paths[k], std::span<const double>(&numbers[k], 1));
}

namespace {

/// InputErrors that leave `work` get the name of the file.
template <class Work>
void naming_the_file(const std::string& path, Work&& work) {
  try {
    work();
  } catch (const InputError& error) {
    fail_input(fmt::format("cannot write {}: {}", path, error.what()), error.kind());
  }
}

}  // namespace

ElasticRecorder::ElasticRecorder(const std::string& path, const ElasticWorld& world, const RecordingMeta& meta,
                                 const RecorderSettings& settings)
    : path_(path), settings_(settings) {
  require(settings.every >= 1, "a recording must keep a frame every 1 or more steps");
  if (!settings.overwrite && ::access(path.c_str(), F_OK) == 0)
    fail_input(fmt::format("cannot write {}: the file exists; choose another name or give --force", path),
               ErrorKind::io);
  naming_the_file(path_, [&] {
    file_ = std::make_unique<File>(path);
    file_->create(world, meta);
    file_->write(take_frame(world));
  });
}

ElasticRecorder::~ElasticRecorder() = default;

void ElasticRecorder::add(const ElasticWorld& world) {
  naming_the_file(path_, [&] {
    file_->write_step(world);
    if (world.last_report().step % settings_.every == 0) file_->write(take_frame(world));
  });
}

void ElasticRecorder::close() {
  naming_the_file(path_, [&] { file_->hdf5.close(); });
  if (std::rename(file_->partial.c_str(), path_.c_str()) != 0)
    fail_input(fmt::format("cannot write {}: {}", path_, std::strerror(errno)), ErrorKind::io);
}

}  // namespace cairn
