// SPDX-License-Identifier: MIT
// ViewServer: serves the viewer's page and the live run behind it, to this machine only (docs/viewer.md).
//
//   ViewServer server({.port = 0, .page = page});
//   LiveSession session(std::move(world), settings, server.listener());
//   server.run(&session, stop);  // returns when `stop` is set
//
// All of it runs in the thread that calls run(); the session's threads only leave messages.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>

#include "cairn/core/errors.h"
#include "cairn/live/session.h"

namespace cairn::cli {

struct ViewServerSettings {
  int port = 8642;    ///< 0: any that is free
  std::string token;  ///< without it nobody comes in
  std::string page;   ///< HTML

  // Limits.
  std::size_t most_clients = 16;         ///< WebSockets
  std::size_t most_connections = 64;     ///< of any kind; others are sent away
  std::size_t most_header = 16 << 10;    ///< bytes
  std::size_t most_message = 64 << 10;   ///< bytes of a command
  std::size_t most_fragments = 1 << 20;  ///< bytes on the wire for one command
  std::size_t most_waiting = 64;         ///< requests of a client without an answer; more are not read
  double patience = 5;                   ///< s for a request, and without any progress of what is sent
  int send_buffer = 0;                   ///< bytes in the system per connection; 0: the system's choice
};

/// What went through.
struct ViewCounts {
  std::size_t connections = 0, clients = 0;  ///< now
  std::size_t served = 0;                    ///< clients so far
  std::uint64_t frames = 0, bytes = 0;       ///< sent to clients
  std::size_t most_queued = 0;               ///< bytes that ever waited for one client
};

/// The port cannot be listened on; the message names it.
class PortError : public InputError {
 public:
  using InputError::InputError;
};

class ViewServer {
 public:
  /// Listens from now on; PortError where that is not possible.
  explicit ViewServer(const ViewServerSettings& settings);
  ~ViewServer();

  int port() const;
  /// For the session that is to be served. The server must outlive it.
  LiveListener listener();
  /// Null: only the page. Returns soon after `stop` is set.
  void run(LiveSession* session, const std::atomic<bool>& stop);
  /// After run, or in its thread.
  ViewCounts counts() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace cairn::cli
