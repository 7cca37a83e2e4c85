// SPDX-License-Identifier: MIT
#include "tests/apps/view/view_client.h"

#include <arpa/inet.h>
#include <fmt/core.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <stdexcept>

#include "cairn/core/index.h"

namespace cairn::cli {

ViewClient::ViewClient(int port, int receive_buffer) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
  if (receive_buffer > 0) setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof(receive_buffer));
  const int on = 1;
  setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (socket_ < 0 || connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0)
    throw std::runtime_error("cannot connect");
}

ViewClient::~ViewClient() {
  if (socket_ >= 0) close(socket_);
}

bool ViewClient::send(const std::string& bytes) {
  for (std::size_t sent = 0; sent < bytes.size();) {
    const ssize_t n = ::send(socket_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (n <= 0) return false;
    sent += to_index(n);
  }
  return true;
}

bool ViewClient::fill(double seconds) {
  pollfd wait{socket_, POLLIN, 0};
  if (poll(&wait, 1, static_cast<int>(1000 * seconds)) <= 0) return false;
  char bytes[1 << 16];
  const ssize_t n = recv(socket_, bytes, sizeof(bytes), 0);
  if (n <= 0) return false;
  rest_.append(bytes, to_index(n));
  return true;
}

bool ViewClient::take(std::size_t count, std::string& out, double seconds) {
  while (rest_.size() < count)
    if (!fill(seconds)) return false;
  out = rest_.substr(0, count);
  rest_.erase(0, count);
  return true;
}

std::string ViewClient::read_all(double seconds) {
  while (fill(seconds)) {
  }
  return std::exchange(rest_, "");
}

bool ViewClient::closed_within(double seconds) {
  pollfd wait{socket_, POLLIN, 0};
  char byte;
  for (;;) {
    if (poll(&wait, 1, static_cast<int>(1000 * seconds)) <= 0) return false;
    if (recv(socket_, &byte, 1, 0) <= 0) return true;
  }
}

bool ViewClient::reset_within(double seconds) {
  pollfd wait{socket_, 0, 0};
  return poll(&wait, 1, static_cast<int>(1000 * seconds)) > 0;
}

void ViewClient::reset() {
  const linger now{1, 0};
  setsockopt(socket_, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
  close(std::exchange(socket_, -1));
}

std::string ViewClient::get(int port, const std::string& request) {
  ViewClient client(port);
  client.send(request);
  return client.read_all();
}

std::string ViewClient::upgrade(int port, const std::string& token, const std::string& lines) {
  send(
      fmt::format("GET /live?token={} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                  "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n{}\r\n",
                  token, port, lines));
  while (rest_.find("\r\n\r\n") == std::string::npos)
    if (!fill(20)) break;
  std::string head;
  take(std::min(rest_.size(), rest_.find("\r\n\r\n") + 4), head, 0);
  return head;
}

std::string ViewClient::frame(int first, const std::string& data, bool masked) {
  std::string bytes(1, static_cast<char>(first));
  const int mask_bit = masked ? 0x80 : 0;
  if (data.size() < 126) {
    bytes += static_cast<char>(mask_bit | static_cast<int>(data.size()));
  } else if (data.size() < 65536) {
    bytes += static_cast<char>(mask_bit | 126);
    for (int shift : {8, 0}) bytes += static_cast<char>(data.size() >> shift);
  } else {
    bytes += static_cast<char>(mask_bit | 127);
    for (int shift = 56; shift >= 0; shift -= 8) bytes += static_cast<char>(data.size() >> shift);
  }
  if (!masked) return bytes + data;
  const std::string mask = "\x12\x34\x56\x78";
  bytes += mask;
  for (std::size_t k = 0; k < data.size(); ++k) bytes += static_cast<char>(data[k] ^ mask[k % 4]);
  return bytes;
}

ViewClient::Message ViewClient::receive(double seconds) {
  std::string head, length;
  if (!take(2, head, seconds)) return {};
  std::size_t size = head[1] & 127;
  if (size >= 126) {
    if (!take(size == 126 ? 2 : 8, length, seconds)) return {};
    size = 0;
    for (const char c : length) size = size << 8 | static_cast<unsigned char>(c);
  }
  Message message{head[0] & 15, ""};
  if (!take(size, message.data, seconds)) return {};
  return message;
}

ViewClient::Message ViewClient::receive_starting(const std::string& start, double seconds) {
  for (;;) {
    Message message = receive(seconds);
    if (message.opcode < 0 || message.data.substr(0, start.size()) == start) return message;
  }
}

std::string ViewClient::ask(int id, const std::string& rest) {
  send_text(fmt::format("{{\"id\": {}, {}}}", id, rest));
  return receive_starting(fmt::format("{{\"id\": {},", id)).data;
}

}  // namespace cairn::cli
