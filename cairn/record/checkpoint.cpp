// SPDX-License-Identifier: MIT
#include "cairn/record/checkpoint.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>
#include <sstream>
#include <utility>

#include "cairn/core/bytes.h"
#include "cairn/core/index.h"
#include "cairn/io/confined_file.h"
#include "cairn/world/limits.h"
#include "cairn/world/snapshot/snapshot_file.h"

namespace cairn {

namespace {

constexpr const char* kSections[] = {"run", "scene", "state"};
constexpr const char* kOldSections[] = {"run", "state"};  // without the identity of the scene

template <class A, class C>
void archive_run(A& a, C& c) {
  a.text(c.scene);
  a.number(c.dt), a.number(c.step), a.number(c.last_step);
}

template <class A, class I>
void archive_identity(A& a, I& identity) {
  a.number(identity.bodies.high), a.number(identity.bodies.low);
  a.text(identity.settings);
}

bool is_old(const std::string& bytes) {
  try {
    unpack_sections(bytes, kOldSections);
    return true;
  } catch (const InputError&) {
    return false;
  }
}

std::vector<std::string_view> sections_of(const std::string& bytes) {
  try {
    return unpack_sections(bytes, kSections);
  } catch (const InputError&) {
    if (!is_old(bytes)) throw;
  }
  fail_input(
      "it was written by an earlier version of this program, which did not say what its scene was: let that version "
      "finish the run, or begin it anew",
      ErrorKind::unsupported);
}

/// The first line in which two texts differ, without blanks around it: of each of them, or empty.
std::pair<std::string, std::string> differing_lines(const std::string& a, const std::string& b) {
  std::istringstream in_a(a), in_b(b);
  const auto next = [](std::istringstream& in) {
    std::string line;
    std::getline(in, line);
    line.erase(0, line.find_first_not_of(' '));
    return line.ends_with(',') ? line.substr(0, line.size() - 1) : line;
  };
  while (in_a || in_b)
    if (const std::string x = next(in_a), y = next(in_b); x != y) return {x, y};
  return {};
}

std::string previous_of(const std::string& path) { return path + ".previous"; }

Error io_error(const std::string& path, const std::string& reason) {
  return {ErrorKind::io, fmt::format("cannot write the checkpoint {}: {}", path, reason)};
}

/// Writes all and brings it to the disk; 0, or errno.
int write_and_sync(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t done = ::write(descriptor, bytes.data(), bytes.size());
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return errno;
    bytes.remove_prefix(to_index(done));
  }
  return ::fsync(descriptor) == 0 ? 0 : errno;
}

/// So that the new name is on the disk too.
void sync_folder(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  const int descriptor = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::fsync(descriptor);
  ::close(descriptor);
}

}  // namespace

std::string difference(const SceneIdentity& then, const SceneIdentity& now) {
  const auto [before, after] = differing_lines(then.settings, now.settings);
  std::string text;
  if (!(then.bodies == now.bodies)) text = "its bodies, shapes or joints are others";
  if (before == after) return text;
  if (!text.empty()) text += ", and ";
  const auto shown = [](const std::string& line) { return line.empty() ? "nothing" : line; };
  return text + fmt::format("where its settings were {} there is now {}", shown(before), shown(after));
}

std::string pack_checkpoint(const Checkpoint& checkpoint) {
  ByteWriter run;
  archive_run(run, checkpoint);
  ByteWriter scene;
  archive_identity(scene, checkpoint.identity);
  const SnapshotSection sections[] = {
      {kSections[0], run.take()}, {kSections[1], scene.take()}, {kSections[2], checkpoint.state}};
  return pack_sections(sections);
}

Checkpoint unpack_checkpoint(const std::string& bytes) {
  const std::vector<std::string_view> contents = sections_of(bytes);
  Checkpoint checkpoint;
  ByteReader in(contents[0]);
  archive_run(in, checkpoint);
  require(in.finished(), "section run: there is more in it than it says");
  require(is_step(checkpoint.dt), "section run: dt is out of range");
  require(checkpoint.step >= 0 && checkpoint.last_step >= checkpoint.step, "section run: the steps are out of order");
  ByteReader scene(contents[1]);
  archive_identity(scene, checkpoint.identity);
  require(scene.finished(), "section scene: there is more in it than it says");
  checkpoint.state = contents[2];
  return checkpoint;
}

CheckpointWriter::CheckpointWriter(const std::string& path) : path_(path) {
  const std::string lock = path + ".lock";
  lock_ = ::open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (lock_ < 0) throw InputError(io_error(path, std::strerror(errno)));
  if (::flock(lock_, LOCK_EX | LOCK_NB) == 0) return;
  ::close(lock_);
  throw InputError(io_error(path, "another process is writing it; choose another name, or wait for its end"));
}

CheckpointWriter::~CheckpointWriter() {
  ::unlink((path_ + ".lock").c_str());
  ::close(lock_);
}

Expected<bool> CheckpointWriter::write(const Checkpoint& checkpoint) {
  const std::string temporary = path_ + ".tmp";
  struct stat info {};
  if (::lstat(temporary.c_str(), &info) == 0) {  // left over by a process that was killed
    if (!S_ISREG(info.st_mode)) return io_error(path_, fmt::format("{} is in the way and is no file", temporary));
    ::unlink(temporary.c_str());
  }
  const int descriptor = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (descriptor < 0) return io_error(path_, std::strerror(errno));
  const int failure = write_and_sync(descriptor, pack_checkpoint(checkpoint));
  ::close(descriptor);
  if (failure != 0) {
    ::unlink(temporary.c_str());
    return io_error(path_, std::strerror(failure));
  }
  const bool kept = std::rename(path_.c_str(), previous_of(path_).c_str()) == 0 || errno == ENOENT;
  if (!kept || std::rename(temporary.c_str(), path_.c_str()) != 0) return io_error(path_, std::strerror(errno));
  sync_folder(path_);
  return true;
}

Expected<LoadedCheckpoint> read_checkpoint(const std::string& path) {
  std::optional<LoadedCheckpoint> best;
  std::vector<std::string> notes;
  ErrorKind kind = ErrorKind::io;
  for (const std::string& file : {path, previous_of(path)}) {
    try {
      Checkpoint checkpoint = unpack_checkpoint(read_whole_file(file).value_or_throw());
      if (!best || checkpoint.step > best->checkpoint.step) best = LoadedCheckpoint{std::move(checkpoint), file, {}};
    } catch (const InputError& error) {
      notes.push_back(fmt::format("{} cannot be used: {}", file, error.what()));
      if (error.kind() != ErrorKind::io) kind = error.kind();
    }
  }
  if (!best) return Error{kind, fmt::format("{}", fmt::join(notes, "; "))};
  // That there is no older one needs no words.
  if (best->file == path && !std::filesystem::exists(previous_of(path))) notes.clear();
  best->notes = std::move(notes);
  return std::move(*best);
}

}  // namespace cairn
