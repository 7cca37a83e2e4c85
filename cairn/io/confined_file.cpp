// SPDX-License-Identifier: MIT
#include "cairn/io/confined_file.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "cairn/core/index.h"

namespace cairn {

namespace {

/// A descriptor that closes itself.
class OpenFile {
 public:
  explicit OpenFile(int fd) : fd_(fd) {}
  OpenFile(OpenFile&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  OpenFile& operator=(OpenFile&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~OpenFile() {
    if (fd_ >= 0) ::close(fd_);
  }
  bool valid() const { return fd_ >= 0; }
  int get() const { return fd_; }

 private:
  int fd_;
};

Error io_error(const std::string& path, const std::string& reason) {
  return {ErrorKind::io, fmt::format("cannot read {}: {}", path, reason)};
}

Error system_error(const std::string& path) {
  if (errno == ELOOP) return io_error(path, "it is a link, or leads through one; put a copy of the file there");
  return io_error(path, std::strerror(errno));
}

/// The bytes are read once: a file that shrinks or grows meanwhile is an error, not a mixture.
Expected<std::string> read_open(const OpenFile& file, const std::string& path, std::size_t most_bytes) {
  struct stat info {};
  if (::fstat(file.get(), &info) != 0) return system_error(path);
  if (S_ISDIR(info.st_mode)) return io_error(path, "it is a folder");
  if (!S_ISREG(info.st_mode)) return io_error(path, "it is not a regular file");
  const auto size = to_index(info.st_size);
  if (size > most_bytes)
    return Error{ErrorKind::limit,
                 fmt::format("cannot read {}: it has {} bytes, the limit is {}", path, size, most_bytes)};
  std::string bytes(size, '\0');
  std::size_t done = 0;
  while (done < size) {
    const ssize_t count = ::read(file.get(), bytes.data() + done, size - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return system_error(path);
    if (count == 0) return io_error(path, "it became shorter while it was read");
    done += to_index(count);
  }
  return bytes;
}

constexpr int kReadFlags = O_RDONLY | O_NONBLOCK | O_CLOEXEC;

}  // namespace

void check_confined_path(const std::string& path) {
  const auto refuse = [&](const char* why) {
    fail_input(
        fmt::format("the path '{}' {}; name a file inside the folder of the file that refers to it, relative "
                    "to that folder",
                    path, why));
  };
  if (path.empty() || path.size() > 1000) refuse("is empty or longer than 1000 bytes");
  if (std::any_of(path.begin(), path.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }))
    refuse("contains control characters");
  if (path.front() == '/' || path.front() == '~') refuse("is not relative");
  if (path.find('\\') != std::string::npos || path.find('%') != std::string::npos) refuse("contains \\ or %");
  if (path.find(':') != std::string::npos) refuse("contains ':' like an address");
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const std::string part = path.substr(begin, end - begin);
    if (part.empty() || part == "." || part == "..") refuse("has a part that is empty, . or ..");
    begin = end + 1;
  }
}

Expected<std::string> read_confined(const std::string& folder, const std::string& path, std::size_t most_bytes) {
  try {
    check_confined_path(path);
  } catch (const InputError& error) {
    return Error{error.kind(), error.what()};
  }
  OpenFile at(::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!at.valid()) return system_error(folder);
  std::size_t begin = 0;
  for (std::size_t slash = path.find('/'); slash != std::string::npos; slash = path.find('/', begin)) {
    const std::string part = path.substr(begin, slash - begin);
    at = OpenFile(::openat(at.get(), part.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!at.valid()) {
      if (errno == ENOTDIR) return io_error(path, fmt::format("'{}' is no folder, or a link to one", part));
      return system_error(path);
    }
    begin = slash + 1;
  }
  const OpenFile file(::openat(at.get(), path.substr(begin).c_str(), kReadFlags | O_NOFOLLOW));
  if (!file.valid()) return system_error(path);
  return read_open(file, path, most_bytes);
}

Expected<std::string> read_whole_file(const std::string& path, std::size_t most_bytes) {
  const OpenFile file(::open(path.c_str(), kReadFlags));
  if (!file.valid()) {
    if (errno == ENOENT) return io_error(path, "there is no such file");
    return system_error(path);
  }
  return read_open(file, path, most_bytes);
}

}  // namespace cairn
