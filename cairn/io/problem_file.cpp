// SPDX-License-Identifier: MIT
#include "cairn/io/problem_file.h"

#include <fmt/core.h>

#include "cairn/io/isolate.h"
#include "cairn/io/wire.h"

namespace cairn {

Expected<ProblemFile> read_problem(const std::string& path, const ReadSettings& settings) {
  const Expected<std::string> bytes =
      run_isolated([&] { return encode(read_problem_in_process(path)); }, settings.time_limit);
  if (!bytes)
    return Error{bytes.error().kind, fmt::format("{}: reading it {}: the file is damaged, or the machine is overloaded",
                                                 path, bytes.error().message)};
  try {
    return decode(*bytes);
  } catch (const InputError& error) {
    return Error{error.kind(), fmt::format("{}: {}", path, error.what())};
  }
}

std::int64_t impulse_count(const ProblemFile& file) {
  if (const auto* contact = std::get_if<ContactProblem>(&file.problem))
    return contact_rows(*contact) * static_cast<std::int64_t>(contact->contacts.size());
  if (const auto* local = std::get_if<DelassusProblem>(&file.problem))
    return static_cast<std::int64_t>(local->q.size());
  return static_cast<std::int64_t>(std::get<GlobalProblem>(file.problem).w.size());
}

}  // namespace cairn
