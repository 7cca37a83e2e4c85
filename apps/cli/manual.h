// SPDX-License-Identifier: MIT
// The help of the program in two other forms, made from the same words: a manual page and completion for shells.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace cairn::cli {

/// A page for `man`: cairn manual > cairn.1.
std::string manual_page(const CLI::App& app, const std::string& version);

/// A script for bash, and for zsh with bashcompinit: source <(cairn completion).
std::string completion_script(const CLI::App& app);

}  // namespace cairn::cli
