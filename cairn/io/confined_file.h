// SPDX-License-Identifier: MIT
// Reading files that other files name: only regular files inside one folder, never through a link, never too large.
//
// A scene from a stranger may name meshes. The path is looked at before anything is opened: relative, no "..", no
// address, no other way out. Then folder by folder is opened without following links, so that what was looked at is
// what is read, whatever happens to the folder meanwhile.
#pragma once

#include <cstddef>
#include <string>

#include "cairn/core/errors.h"

namespace cairn {

inline constexpr std::size_t kMostFileBytes = std::size_t{1} << 30;

/// InputError unless `path` is a relative path that stays below the folder it is relative to.
void check_confined_path(const std::string& path);

/// The whole of a regular file below `folder`. The message names the path, not the folder.
Expected<std::string> read_confined(const std::string& folder, const std::string& path,
                                    std::size_t most_bytes = kMostFileBytes);

/// The whole of a regular file that the user named himself: links are followed, devices and pipes refused.
Expected<std::string> read_whole_file(const std::string& path, std::size_t most_bytes = kMostFileBytes);

}  // namespace cairn
