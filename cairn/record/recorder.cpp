// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "cairn/io/hdf5.h"
#include "cairn/record/recording.h"

namespace cairn {

namespace {

using Type = Hdf5Writer::Type;

constexpr std::int64_t kChunkBytes = 1 << 18;  // fits HDF5's cache of a dataset several times
constexpr int kFlushEvery = 64;                // frames
constexpr std::int64_t kReadingSize = 5;       // numbers of a JointReading

std::int64_t chunk_rows(std::int64_t row_bytes, std::int64_t most) {
  return std::clamp<std::int64_t>(kChunkBytes / std::max<std::int64_t>(row_bytes, 1), 1, most);
}

void put(std::vector<double>& out, const Vec3& v) { out.insert(out.end(), {v.x, v.y, v.z}); }

}  // namespace

/// Only the thread of the queue uses it once the constructor has run.
struct Recorder::File {
  explicit File(const std::string& path) : partial(path + ".partial"), hdf5((std::remove(partial.c_str()), partial)) {}

  std::string partial;
  Hdf5Writer hdf5;
  std::vector<std::string> statistic_paths;
  std::int64_t contacts = 0;
  int frames = 0;

  void create(const World& world, const RecordingMeta& meta, std::span<const RecordedBody> later);
  void write_bodies(const World& world, const RecordingMeta& meta, std::span<const RecordedBody> later);
  void write_joints(const World& world, const RecordingMeta& meta);
  void write(const MotionFrame& frame);
  void write_contacts(const std::vector<FrameContact>& contacts);
  void write_step(std::int64_t step, double time, const Hash128& hash, const std::vector<double>& statistics);
};

void Recorder::File::create(const World& world, const RecordingMeta& meta, std::span<const RecordedBody> later) {
  hdf5.attribute("/", "format", "cairn-recording");
  hdf5.attribute("/", "version", double{kRecordingVersion});
  const std::pair<const char*, const std::string*> texts[] = {{"scene", &meta.scene},
                                                              {"parameters", &meta.parameters},
                                                              {"solver", &meta.solver},
                                                              {"program", &meta.program},
                                                              {"settings", &meta.settings}};
  for (const auto& [name, text] : texts) hdf5.attribute("/", name, *text);
  hdf5.attribute("/", "dt", meta.dt);
  hdf5.attribute("/", "first_step", static_cast<double>(world.step_count()));
  const auto bytes = [&](const char* path, const std::string& text) {
    hdf5.create_table(path, Type::u8, {}, kChunkBytes);
    hdf5.append(path, std::span(reinterpret_cast<const std::uint8_t*>(text.data()), text.size()));
  };
  bytes("/scene_text", meta.scene_text);
  bytes("/start", world.save());
  bytes("/inputs", meta.inputs);
  write_bodies(world, meta, later);
  const auto n = static_cast<std::int64_t>(world.body_count() + later.size());
  for (const char* group : {"/frames", "/contacts", "/stats"}) hdf5.group(group);
  if (!world.joints().empty()) write_joints(world, meta);
  hdf5.create_table("/frames/step", Type::i64, {}, 1024);
  hdf5.create_table("/frames/time", Type::f64, {}, 1024);
  hdf5.create_table("/frames/pose", Type::f64, {n, 7}, chunk_rows(56 * n, 64));
  hdf5.create_table("/frames/velocity", Type::f64, {n, 6}, chunk_rows(48 * n, 64));
  hdf5.create_table("/frames/awake", Type::u8, {n}, chunk_rows(n, 256));
  hdf5.create_table("/contacts/offset", Type::i64, {}, 1024);
  hdf5.append("/contacts/offset", std::span<const std::int64_t>(&contacts, 1));
  hdf5.create_table("/contacts/body", Type::i32, {2}, 4096);
  for (const char* path : {"/contacts/point", "/contacts/normal", "/contacts/impulse"})
    hdf5.create_table(path, Type::f64, {3}, 4096);
  hdf5.create_table("/contacts/separation", Type::f64, {}, 4096);
  hdf5.create_table("/contacts/mode", Type::u8, {}, 4096);
  hdf5.create_table("/hash", Type::u64, {2}, 1024);
  hdf5.create_table("/stats/step", Type::i64, {}, 1024);
  hdf5.create_table("/stats/time", Type::f64, {}, 1024);
  for (const char* name : statistic_names()) {
    statistic_paths.push_back(fmt::format("/stats/{}", name));
    hdf5.create_table(statistic_paths.back(), Type::f64, {}, 1024);
  }
}

void Recorder::File::write_bodies(const World& world, const RecordingMeta& meta, std::span<const RecordedBody> later) {
  std::vector<RecordedBody> list;
  std::vector<double> inertia;
  for (const BodyId id : world.bodies()) {
    const std::size_t k = list.size();
    const BodyView body = world.view(id);
    list.push_back({k < meta.body_names.size() ? meta.body_names[k] : "", shape_names(world, id), body.kind, body.mass,
                    k < meta.body_colours.size() ? meta.body_colours[k] : 0});
    const SymMat3& i = body.inertia;
    inertia.insert(inertia.end(), {i.xx, i.yy, i.zz, i.xy, i.xz, i.yz});
  }
  list.insert(list.end(), later.begin(), later.end());
  inertia.resize(6 * list.size());
  std::vector<std::string> names, shapes;
  std::vector<double> mass;
  std::vector<std::int32_t> kind, colour;
  for (const RecordedBody& body : list) {
    names.push_back(body.name), shapes.push_back(body.shape), mass.push_back(body.mass);
    kind.push_back(static_cast<std::int32_t>(body.kind)), colour.push_back(static_cast<std::int32_t>(body.colour));
  }
  hdf5.group("/bodies");
  hdf5.write_texts("/bodies/name", names);
  hdf5.write_texts("/bodies/shape", shapes);
  hdf5.write("/bodies/mass", mass);
  hdf5.write("/bodies/kind", kind);
  hdf5.write("/bodies/colour", colour);
  hdf5.create_table("/bodies/inertia", Type::f64, {6}, 4096);
  hdf5.append("/bodies/inertia", inertia);
}

void Recorder::File::write_joints(const World& world, const RecordingMeta& meta) {
  const std::vector<BodyId> bodies = world.bodies();
  const auto place = [&](BodyId body) {
    const auto at = std::lower_bound(bodies.begin(), bodies.end(), body);
    return at != bodies.end() && *at == body ? static_cast<std::int32_t>(at - bodies.begin()) : std::int32_t{-1};
  };
  std::vector<std::string> names, kinds;
  std::vector<std::int32_t> ends;
  for (const JointId joint : world.joints()) {
    const JointDef& def = world.joint_def(joint);
    names.push_back(names.size() < meta.joint_names.size() ? meta.joint_names[names.size()] : "");
    kinds.emplace_back(kind_name(def.kind));
    ends.insert(ends.end(), {place(def.body_a), place(def.body_b)});
  }
  hdf5.group("/joints");
  hdf5.write_texts("/joints/name", names);
  hdf5.write_texts("/joints/kind", kinds);
  hdf5.create_table("/joints/body", Type::i32, {2}, 4096);
  hdf5.append("/joints/body", ends);
  const auto n = static_cast<std::int64_t>(names.size());
  hdf5.create_table("/frames/joint", Type::f64, {n, kReadingSize}, chunk_rows(8 * kReadingSize * n, 64));
}

void Recorder::File::write_contacts(const std::vector<FrameContact>& list) {
  std::vector<std::int32_t> body;
  std::vector<double> point, normal, impulse, separation;
  std::vector<std::uint8_t> mode;
  for (const FrameContact& c : list) {
    body.insert(body.end(), {c.body_a, c.body_b});
    put(point, c.point), put(normal, c.normal), put(impulse, c.impulse);
    separation.push_back(c.separation);
    mode.push_back(static_cast<std::uint8_t>(c.mode));
  }
  hdf5.append("/contacts/body", body);
  hdf5.append("/contacts/point", point);
  hdf5.append("/contacts/normal", normal);
  hdf5.append("/contacts/impulse", impulse);
  hdf5.append("/contacts/separation", separation);
  hdf5.append("/contacts/mode", mode);
  contacts += static_cast<std::int64_t>(list.size());
  hdf5.append("/contacts/offset", std::span<const std::int64_t>(&contacts, 1));
}

void Recorder::File::write(const MotionFrame& frame) {
  const Hdf5Quiet quiet;  // in the thread that writes
  std::vector<double> pose, velocity;
  for (const Pose& p : frame.pose) {
    put(pose, p.position);
    pose.insert(pose.end(), {p.orientation.w, p.orientation.x, p.orientation.y, p.orientation.z});
  }
  for (const Velocity& v : frame.velocity) put(velocity, v.linear), put(velocity, v.angular);
  hdf5.append("/frames/step", std::span<const std::int64_t>(&frame.step, 1));
  hdf5.append("/frames/time", std::span<const double>(&frame.time, 1));
  hdf5.append("/frames/pose", pose);
  hdf5.append("/frames/velocity", velocity);
  hdf5.append("/frames/awake", frame.awake);
  if (!frame.joints.empty()) {
    std::vector<double> readings;
    for (const JointReading& r : frame.joints)
      readings.insert(readings.end(), {r.position, r.velocity, r.effort, r.force, r.torque});
    hdf5.append("/frames/joint", readings);
  }
  write_contacts(frame.contacts);
  if (++frames % kFlushEvery == 0) hdf5.flush();
}

void Recorder::File::write_step(std::int64_t step, double time, const Hash128& hash,
                                const std::vector<double>& statistics) {
  const Hdf5Quiet quiet;
  const std::uint64_t words[2] = {hash.high, hash.low};
  hdf5.append("/hash", words);
  hdf5.append("/stats/step", std::span<const std::int64_t>(&step, 1));
  hdf5.append("/stats/time", std::span<const double>(&time, 1));
  for (std::size_t k = 0; k < statistics.size(); ++k)
    hdf5.append(statistic_paths[k], std::span<const double>(&statistics[k], 1));
}

void Recorder::naming_the_file(const std::function<void()>& work) const {
  try {
    work();
  } catch (const InputError& error) {
    fail_input(fmt::format("cannot write {}: {}", path_, error.what()), error.kind());
  }
}

Recorder::Recorder(const std::string& path, const World& world, const RecordingMeta& meta,
                   const RecorderSettings& settings)
    : path_(path),
      settings_(settings),
      bodies_(world.bodies()),
      joints_(world.joints()),
      expected_(bodies_.size() + settings.later.size()),
      by_hand_(!meta.inputs.empty()),
      queue_(settings.queue) {
  require(settings.every >= 1, "a recording must keep a frame every 1 or more steps");
  if (!settings.overwrite && ::access(path.c_str(), F_OK) == 0)
    fail_input(fmt::format("cannot write {}: the file exists; choose another name or give --force", path),
               ErrorKind::io);
  naming_the_file([&] {
    file_ = std::make_unique<File>(path);
    file_->create(world, meta, settings_.later);
    file_->write(frame_of(world));
  });
}

Recorder::~Recorder() = default;

/// Bodies that have not appeared yet are nowhere.
MotionFrame Recorder::frame_of(const World& world) const {
  std::vector<BodyId> all = bodies_;
  all.resize(expected_);
  return take_frame(world, all, settings_.contacts, joints_);
}

void Recorder::appear(BodyId body) {
  require(bodies_.size() < expected_, "a recording cannot go on: more bodies were added than it was told of");
  bodies_.push_back(body);
}

void Recorder::add(const World& world) {
  require(!settings_.later.empty() || by_hand_ ||
              (world.body_count() == bodies_.size() &&
               std::all_of(bodies_.begin(), bodies_.end(), [&](BodyId body) { return world.contains(body); })),
          "a recording cannot go on: bodies were added or removed since it began");
  const StepReport& report = world.last_report();
  naming_the_file([&] {
    queue_.push([file = file_.get(), step = report.step, time = report.time, hash = world.state_hash(),
                 numbers = statistics_of(report)] { file->write_step(step, time, hash, numbers); });
    if (report.step % settings_.every == 0)
      queue_.push([file = file_.get(), frame = frame_of(world)] { file->write(frame); });
  });
}

void Recorder::close() {
  naming_the_file([&] {
    queue_.finish();
    file_->hdf5.close();
  });
  if (std::rename(file_->partial.c_str(), path_.c_str()) != 0)
    fail_input(fmt::format("cannot write {}: {}", path_, std::strerror(errno)), ErrorKind::io);
}

}  // namespace cairn
