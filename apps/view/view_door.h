// SPDX-License-Identifier: MIT
// Who may come in at the door of `cairn view`: requests are judged from their parts alone, so that this can be tested
// without sockets. docs/viewer.md says against what.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace cairn::cli {

/// 128 bits from the system's generator, as 32 hexadecimal digits.
std::string make_token();
/// In a time that does not depend on where they differ.
bool same_token(std::string_view a, std::string_view b);

/// What the header of a request says.
struct DoorRequest {
  bool is_get = false, http_1_1 = false;
  bool has_body = false;              ///< Content-Length above 0, or chunks
  std::string target;                 ///< "/?token=..."
  std::optional<std::string> host;    ///< none: missing, or given twice
  bool upgrade = false;               ///< to a WebSocket
  bool origin_once = true;            ///< Origin given at most once
  std::optional<std::string> origin;  ///< none: not given
  std::string version, key;           ///< Sec-WebSocket-Version, Sec-WebSocket-Key; empty: not given
};

/// 200: the page; 101: a WebSocket; else what HTTP calls it, and one sentence.
struct DoorVerdict {
  int status = 200;
  const char* reason = "";
};

/// `live`: there is something to connect to.
DoorVerdict judge(const DoorRequest& request, std::string_view token, bool live);

/// 127.0.0.1 or localhost, with or without a port: a name that others could point at this machine is not.
bool is_local_host(std::string_view host);

}  // namespace cairn::cli
