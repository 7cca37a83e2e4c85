// SPDX-License-Identifier: MIT
#include "apps/cli/csv.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include "cairn/core/index.h"

namespace cairn::cli {
namespace {

namespace fs = std::filesystem;

Error io_error(const std::string& path, std::string_view reason) {
  return {ErrorKind::io, fmt::format("cannot write {}: {}", path, reason)};
}

Error already_exists(const std::string& path) {
  return io_error(path, "the file exists; choose another name or give --force");
}

/// errno in the words of the system, for the last call that failed.
std::string last_reason() { return std::generic_category().message(errno); }

/// A file descriptor that closes itself; `close` tells whether the data reached the file.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  explicit operator bool() const { return fd_ >= 0; }

  bool write(std::string_view text) {
    while (!text.empty()) {
      const ssize_t done = ::write(fd_, text.data(), text.size());
      if (done < 0 && errno == EINTR) continue;
      if (done < 0) return false;
      text.remove_prefix(to_index(done));
    }
    return true;
  }

  bool sync() { return ::fsync(fd_) == 0; }
  bool close() { return ::close(std::exchange(fd_, -1)) == 0; }

 private:
  int fd_;
};

/// Opens a new file beside `target`; the process id and a counter keep two writers apart.
Descriptor open_temporary(const std::string& target, std::string& temporary) {
  for (int attempt = 0; attempt < 100; ++attempt) {
    temporary = fmt::format("{}.{}-{}.tmp", target, ::getpid(), attempt);
    const int fd = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd >= 0 || errno != EEXIST) return Descriptor(fd);
  }
  return Descriptor(-1);
}

/// Gives the complete temporary file its name. Without force a hard link does it, because it fails when the name has
/// been taken meanwhile; where the file system has no links, the check made before has to do.
bool publish(const std::string& temporary, const std::string& target, bool force) {
  if (!force) {
    if (::link(temporary.c_str(), target.c_str()) == 0) return ::unlink(temporary.c_str()) == 0;
    if (errno == EEXIST) return false;
  }
  return ::rename(temporary.c_str(), target.c_str()) == 0;
}

Expected<bool> write_device(const std::string& path, std::string_view text) {
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!file || !file.write(text) || !file.close()) return io_error(path, last_reason());
  return true;
}

Expected<bool> replace_file(const std::string& path, const std::string& target, std::string_view text, bool force) {
  std::string temporary;
  Descriptor file = open_temporary(target, temporary);
  if (!file) return io_error(path, last_reason());
  if (file.write(text) && file.sync() && file.close() && publish(temporary, target, force)) return true;
  const int reason = errno;
  ::unlink(temporary.c_str());
  if (reason == EEXIST) return already_exists(path);
  return io_error(path, std::generic_category().message(reason));
}

}  // namespace

bool is_json_result(const std::string& path) {
  constexpr std::streamsize kMost = 1 << 20;  // the hash is in the first object
  std::error_code failure;
  if (!fs::is_regular_file(path, failure)) return false;
  std::ifstream file(path, std::ios::binary);
  std::string text(kMost, '\0');
  file.read(text.data(), kMost);
  text.resize(to_index(file.gcount()));
  const auto has = [&](const char* key) { return text.find(key) != std::string::npos; };
  // `run` and `solve` write the one, `compare` the others.
  return (text.starts_with('{') || text.starts_with('[')) &&
         (has("\"state_hash\"") || (has("\"budget\"") && has("\"captures\"")));
}

Expected<bool> check_can_write(const std::string& path) {
  std::error_code failure;
  const fs::file_status status = fs::status(path, failure);
  if (fs::is_directory(status)) return io_error(path, "it is a folder; give a file name");
  if (fs::is_regular_file(status)) return already_exists(path);
  const fs::path folder = fs::path(path).parent_path();
  if (!folder.empty() && !fs::is_directory(folder, failure))
    return io_error(path, fmt::format("the folder {} does not exist", folder.string()));
  return true;
}

Expected<bool> write_text_file(const std::string& path, std::string_view text, bool force) {
  if (path.empty()) return io_error("\"\"", "the name is empty; give a file name");
  std::error_code failure;
  const fs::file_status status = fs::status(path, failure);
  if (fs::is_directory(status)) return io_error(path, "it is a folder; add a file name");
  if (fs::exists(status) && !fs::is_regular_file(status)) return write_device(path, text);
  if (fs::exists(status) && !force) return already_exists(path);

  const fs::path folder = fs::path(path).parent_path();
  if (!folder.empty() && !fs::is_directory(folder, failure))
    return io_error(path, fmt::format("there is no folder {}; create it first", folder.string()));
  // The file behind a link is replaced, not the link.
  const fs::path behind = fs::exists(status) ? fs::canonical(path, failure) : fs::path(path);
  return replace_file(path, failure || behind.empty() ? path : behind.string(), text, force);
}

std::string exact_number(double value) {
  if (std::isnan(value)) return "nan";
  std::array<char, 32> buffer;
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return {buffer.data(), result.ptr};
}

Csv::Csv(const std::vector<std::string>& head) : columns_(head.size()) {
  require(!head.empty(), "a CSV table needs at least one column");
  for (const std::string& name : head) cell(name);
  end_row();
}

Csv& Csv::raw(std::string_view text) {
  if (cells_++ > 0) text_ += ',';
  text_ += text;
  return *this;
}

Csv& Csv::cell(std::string_view text) {
  // A lone empty cell is quoted too: an empty line would be read as no row at all.
  const bool plain = text.find_first_of(",\"\r\n") == std::string_view::npos && !(text.empty() && columns_ == 1) &&
                     (text.empty() || (text.front() != ' ' && text.back() != ' '));
  if (plain) return raw(text);
  std::string quoted = "\"";
  for (const char c : text) quoted.append(c == '"' ? 2 : 1, c);
  return raw(quoted + '"');
}

void Csv::end_row() {
  if (cells_ != columns_) fail_input(fmt::format("a CSV row has {} cells, its head has {}", cells_, columns_));
  text_ += '\n';
  cells_ = 0;
  complete_ = text_.size();
}

}  // namespace cairn::cli
