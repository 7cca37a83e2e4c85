// SPDX-License-Identifier: MIT
// The page of the viewer: one file of HTML with the script bundled from viewer/ and either a recording or the word that
// there is a live run to connect to.
#pragma once

#include <string>

#include "apps/cli/commands.h"

namespace cairn::cli {

/// InputError (unsupported) that says what to install, where the program was built without the viewer.
void require_viewer();

/// The page that plays a recording, as large as the options allow; empty when interrupted.
std::string recording_page(const ExportOptions& options);
/// The page that connects to where it came from.
std::string live_page();

}  // namespace cairn::cli
