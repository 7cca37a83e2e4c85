// SPDX-License-Identifier: MIT
#include "apps/cli/streams.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>

#include "cairn/core/index.h"

namespace cairn::cli {

namespace {

/// Where one stream goes. They last as long as the program, as streams do.
struct Sink {
  int descriptor;
  int failure = 0;  ///< errno of the first write that failed; nothing is written after it
};
Sink out_sink{STDOUT_FILENO}, err_sink{STDERR_FILENO};

/// Says that all was written even where it was not: whoever prints goes on.
ssize_t write_to_sink(void* cookie, const char* bytes, std::size_t size) {
  Sink& sink = *static_cast<Sink*>(cookie);
  for (std::size_t done = 0; done < size && sink.failure == 0;) {
    const ssize_t count = ::write(sink.descriptor, bytes + done, size - done);
    if (count >= 0) {
      done += to_index(count);
    } else if (errno == EAGAIN) {
      pollfd wait{sink.descriptor, POLLOUT, 0};
      ::poll(&wait, 1, -1);
    } else if (errno != EINTR) {
      sink.failure = errno;
    }
  }
  return static_cast<ssize_t>(size);
}

/// Writing to what is open for reading only fails, as it should.
void reopen_if_closed(int descriptor) {
  if (::fcntl(descriptor, F_GETFD) < 0) ::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

std::FILE* stream_to(Sink& sink, int buffering) {
  std::FILE* stream = ::fopencookie(&sink, "w", {nullptr, write_to_sink, nullptr, nullptr});
  if (stream != nullptr) std::setvbuf(stream, nullptr, buffering, BUFSIZ);
  return stream;
}

}  // namespace

void open_streams() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) reopen_if_closed(descriptor);
  if (std::FILE* stream = stream_to(out_sink, ::isatty(STDOUT_FILENO) == 1 ? _IOLBF : _IOFBF)) stdout = stream;
  if (std::FILE* stream = stream_to(err_sink, _IONBF)) stderr = stream;
}

std::string lost_output() {
  std::fflush(stdout);
  return out_sink.failure == 0 ? "" : std::generic_category().message(out_sink.failure);
}

}  // namespace cairn::cli
