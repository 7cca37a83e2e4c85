// SPDX-License-Identifier: MIT
// Checks of what is written on the command line. The parser names the option before each message.
#pragma once

#include <CLI/CLI.hpp>

#include "cairn/core/parallel.h"

namespace cairn::cli {

/// A finite number in [least, most]. The parser's own check of ranges lets what is not a number through.
CLI::Validator number_in(double least, double most);

/// Seconds of a step; milliseconds are told from them.
CLI::Validator step_length(double least, double most);

/// How many threads: 0 for every processor, where that is allowed.
CLI::Validator thread_count(int least = 0);

/// "900:1200", two whole numbers with A < B.
CLI::Validator window();

}  // namespace cairn::cli
