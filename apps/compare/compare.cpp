// SPDX-License-Identifier: MIT
// cairn compare: one scene under several solvers; the parts are declared in compare.h.
#include "apps/compare/compare.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "apps/cli/csv.h"
#include "cairn/core/errors.h"

namespace cairn::cli {

int run_compare(const CompareOptions& options) {
  if (options.out == options.json) fail_input("--out and --json name the same file: give two names");
  if (!options.force) {
    check_can_write(options.out).value_or_throw();
    const bool file = !options.json.empty() && options.json != "-";
    if (file && !is_json_result(options.json)) check_can_write(options.json).value_or_throw();
  }
  const Comparison comparison = compare(options);
  if (interrupted()) return interrupt_code();
  fmt::print(options.json == "-" ? stderr : stdout, "{}", compare_text(comparison));
  write_text_file(options.out, compare_page(comparison), options.force).value_or_throw();
  fmt::print(stderr, "wrote {}\n", options.out);
  if (options.json.empty()) return kDone;
  const std::string text = to_json(comparison).dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  if (options.json == "-") {
    fmt::print("{}", text);
  } else {
    write_text_file(options.json, text, options.force || is_json_result(options.json)).value_or_throw();
    fmt::print(stderr, "wrote {}\n", options.json);
  }
  return kDone;
}

}  // namespace cairn::cli
