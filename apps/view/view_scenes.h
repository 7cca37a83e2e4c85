// SPDX-License-Identifier: MIT
// What the viewer's page may choose and keep: scenes by name, and files of runs.
#pragma once

#include "apps/cli/commands.h"
#include "cairn/live/session.h"

namespace cairn::cli {

/// [{"name", "summary", "parameters": [{"name", "value", "allowed", "help"}]}] of all scenes by name; before them the
/// one of the command line, if it is another.
JsonValue view_catalogue(const RunOptions& given);

/// A scene of the catalogue under the options of the command line. A page can name no file but the one given there.
LiveLoaded view_load(const RunOptions& given, const std::string& scene, const NamedSettings& parameters);

/// Writes to SCENE-1.h5, SCENE-2.h5, ... of the current folder, the first that does not exist.
LiveFile view_save(const SavedRun& run, const RecordingMeta& meta);

}  // namespace cairn::cli
