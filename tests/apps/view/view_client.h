// SPDX-License-Identifier: MIT
// A client of the viewer's server on a plain socket, which can also be as rude as a test wants.
#pragma once

#include <string>
#include <utility>

namespace cairn::cli {

class ViewClient {
 public:
  /// Connects to 127.0.0.1; throws std::runtime_error if that fails.
  explicit ViewClient(int port, int receive_buffer = 0);
  ~ViewClient();
  ViewClient(ViewClient&& other) noexcept : socket_(std::exchange(other.socket_, -1)), rest_(std::move(other.rest_)) {}

  /// False once the other side has gone.
  bool send(const std::string& bytes);
  /// All until the other side hangs up, or `seconds` without anything have passed.
  std::string read_all(double seconds = 20);
  /// Whether the other side has hung up within the time.
  bool closed_within(double seconds);
  /// Whether the other side has broken off within the time, without reading anything.
  bool reset_within(double seconds);
  /// Leaves with a reset instead of a farewell.
  void reset();

  /// A whole request; the answer with its header.
  static std::string get(int port, const std::string& request);

  /// An upgrade with the usual header, and other lines; what the server answered.
  std::string upgrade(int port, const std::string& token, const std::string& lines = "");
  /// A frame as clients send it. `first`: FIN, reserved bits and opcode.
  static std::string frame(int first, const std::string& data, bool masked = true);
  bool send_text(const std::string& text) { return send(frame(0x81, text)); }

  struct Message {
    int opcode = -1;  ///< -1: none came
    std::string data;
    /// Of a close.
    int code() const {
      return opcode == 8 && data.size() >= 2
                 ? static_cast<unsigned char>(data[0]) << 8 | static_cast<unsigned char>(data[1])
                 : 0;
    }
  };
  Message receive(double seconds = 20);
  /// The next message whose data begin so; what comes before is thrown away.
  Message receive_starting(const std::string& start, double seconds = 20);
  /// Sends a request and returns the answer with its number.
  std::string ask(int id, const std::string& rest);

 private:
  bool fill(double seconds);
  bool take(std::size_t count, std::string& out, double seconds);

  int socket_ = -1;
  std::string rest_;  ///< received, not used yet
};

}  // namespace cairn::cli
