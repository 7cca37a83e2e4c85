// SPDX-License-Identifier: MIT
// In place of the server where Boost was not there when the program was configured.
#include "apps/view/view_server.h"
#include "cairn/core/errors.h"

namespace cairn::cli {

struct ViewServer::Impl {};

ViewServer::ViewServer(const ViewServerSettings&) {
  fail_input(
      "this program was built without the server of the viewer: apt-get install libboost-dev, then configure and build "
      "again (cmake --preset release && ninja -C build/release cairn_cli)",
      ErrorKind::unsupported);
}
ViewServer::~ViewServer() = default;
int ViewServer::port() const { return 0; }
LiveListener ViewServer::listener() { return {}; }
void ViewServer::run(LiveSession*, const std::atomic<bool>&) {}
ViewCounts ViewServer::counts() const { return {}; }

}  // namespace cairn::cli
