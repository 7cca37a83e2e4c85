// SPDX-License-Identifier: MIT
#include "apps/view/view_door.h"

#include <sys/random.h>

#include <algorithm>
#include <cerrno>

#include "cairn/core/errors.h"
#include "cairn/core/index.h"

namespace cairn::cli {

namespace {

/// The value of `token` in "a=b&token=...", none if there is not exactly one.
std::optional<std::string_view> token_of(std::string_view query) {
  std::optional<std::string_view> found;
  for (std::size_t start = 0; start <= query.size();) {
    const std::size_t end = std::min(query.find('&', start), query.size());
    const std::string_view part = query.substr(start, end - start);
    if (part.substr(0, 6) == "token=") {
      if (found) return std::nullopt;
      found = part.substr(6);
    }
    start = end + 1;
  }
  return found;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// 16 bytes in base 64: 22 digits, of which the last has four bits that are zero, and two signs of padding.
bool is_key(std::string_view key) {
  constexpr std::string_view kLast = "AQgw";
  const auto digit = [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || is_digit(c) || c == '+' || c == '/';
  };
  return key.size() == 24 && key.substr(22) == "==" && std::all_of(key.begin(), key.begin() + 22, digit) &&
         kLast.find(key[21]) != std::string_view::npos;
}

DoorVerdict judge_upgrade(const DoorRequest& r) {
  if (!r.origin_once || (r.origin && *r.origin != "http://" + *r.host))
    return {403, "the page that connects was not served here"};
  if (!r.upgrade || !r.http_1_1) return {426, "this is for WebSockets"};
  if (r.version != "13") return {426, "Sec-WebSocket-Version must be 13"};
  if (!is_key(r.key)) return {400, "Sec-WebSocket-Key must be 16 bytes in base 64"};
  return {101, ""};
}

}  // namespace

std::string make_token() {
  unsigned char bytes[16];
  std::size_t filled = 0;
  while (filled < sizeof(bytes)) {
    const ssize_t got = getrandom(bytes + filled, sizeof(bytes) - filled, 0);
    if (got < 0 && errno != EINTR) fail_input("the system gives no random numbers", ErrorKind::io);
    if (got > 0) filled += to_index(got);
  }
  std::string token;
  for (const unsigned char byte : bytes) token += "0123456789abcdef"[byte >> 4], token += "0123456789abcdef"[byte & 15];
  return token;
}

bool same_token(std::string_view a, std::string_view b) {
  unsigned different = a.size() == b.size() ? 0 : 1;
  for (std::size_t k = 0; k < a.size(); ++k)
    different |= static_cast<unsigned char>(a[k]) ^ static_cast<unsigned char>(b.empty() ? '\0' : b[k % b.size()]);
  return different == 0;
}

bool is_local_host(std::string_view host) {
  const std::size_t colon = host.find(':');
  const std::string_view name = host.substr(0, colon);
  if (name != "127.0.0.1" && name != "localhost") return false;
  if (colon == std::string_view::npos) return true;
  const std::string_view port = host.substr(colon + 1);
  return !port.empty() && port.size() <= 5 && std::all_of(port.begin(), port.end(), is_digit);
}

DoorVerdict judge(const DoorRequest& r, std::string_view token, bool live) {
  if (!r.host || !is_local_host(*r.host)) return {403, "the host must be 127.0.0.1 or localhost"};
  if (!r.is_get) return {405, "only GET is answered"};
  if (r.has_body) return {400, "a GET has no body"};
  const std::size_t mark = std::min(r.target.find('?'), r.target.size());
  const std::string_view path = std::string_view(r.target).substr(0, mark);
  if (path != "/" && !(live && path == "/live")) return {404, "there is nothing of that name"};
  const auto given = token_of(mark < r.target.size() ? std::string_view(r.target).substr(mark + 1) : "");
  if (!given || !same_token(*given, token)) return {403, "open the address that `cairn view` printed, with its token"};
  return path == "/" ? DoorVerdict{} : judge_upgrade(r);
}

}  // namespace cairn::cli
