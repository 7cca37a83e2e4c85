// SPDX-License-Identifier: MIT
#include "cairn/io/problem_file.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "cairn/core/index.h"
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

namespace {

const ContactProblem* contact_problem(const ProblemFile& file) { return std::get_if<ContactProblem>(&file.problem); }

constexpr std::int32_t kCannotMove = -1;

/// The bodies of a contact that impulses move, the lower one first.
std::pair<std::int32_t, std::int32_t> moving_pair(const ContactProblem& problem, const ContactBlock& c) {
  const auto moving = [&](std::int32_t body) {
    return problem.bodies[to_index(body)].is_dynamic() ? body : kCannotMove;
  };
  return std::minmax(moving(c.body_a), moving(c.body_b));
}

/// Where a body was last seen on the way through the contacts in order of their colours.
struct Seen {
  std::int32_t colour = -1;
  std::size_t group = 0;  ///< contacts of one colour and pair that follow each other
};

}  // namespace

ContactSolution warm_start(const ProblemFile& file) {
  ContactSolution start;
  const ContactProblem* problem = contact_problem(file);
  if (problem == nullptr) return start;
  start.joint_impulse = file.joint_guess;
  if (file.guess.empty()) return start;
  const auto rows = to_index(contact_rows(*problem));
  start.contact_impulse.assign(problem->contacts.size(), {});
  for (std::size_t k = 0; k < file.guess.size(); ++k) start.contact_impulse[k / rows][k % rows] = file.guess[k];
  return start;
}

void set_warm_start(ProblemFile& file, const ContactSolution& start) {
  const ContactProblem* problem = contact_problem(file);
  require(problem != nullptr, "set_warm_start: only a ContactProblem can be given one");
  require(start.contact_impulse.empty() || start.contact_impulse.size() == problem->contacts.size(),
          "set_warm_start: give one impulse per contact, or none");
  const auto rows = to_index(contact_rows(*problem));
  file.joint_guess = start.joint_impulse;
  file.guess.clear();
  for (const std::array<double, 4>& impulse : start.contact_impulse)
    file.guess.insert(file.guess.end(), impulse.begin(), impulse.begin() + static_cast<std::ptrdiff_t>(rows));
}

void check_colours(const ContactProblem& problem, std::span<const std::int32_t> colour) {
  if (colour.size() != problem.contacts.size())
    fail_input(fmt::format("there are {} colours, there must be {}", colour.size(), problem.contacts.size()));
  std::vector<std::size_t> order;
  for (std::size_t k = 0; k < colour.size(); ++k) {
    if (colour[k] < -1 || colour[k] >= kMostFileColours)
      fail_input(fmt::format("colour [{}] is {}, expected -1 to {}", k, colour[k], kMostFileColours - 1));
    if (colour[k] >= 0) order.push_back(k);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return colour[a] < colour[b]; });
  std::vector<Seen> seen(problem.bodies.size());
  std::size_t group = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::size_t k = order[i];
    const auto pair = moving_pair(problem, problem.contacts[k]);
    if (i > 0 && (colour[k] != colour[order[i - 1]] || pair != moving_pair(problem, problem.contacts[order[i - 1]])))
      ++group;
    for (const std::int32_t body : {pair.first, pair.second}) {
      if (body == kCannotMove) continue;
      Seen& last = seen[to_index(body)];
      if (last.colour == colour[k] && last.group != group)
        fail_input(fmt::format("body {} has contacts with different bodies in colour {}", body, colour[k]));
      last = {colour[k], group};
    }
  }
}

void check_warm_start(const ProblemFile& file) {
  const ContactProblem* problem = contact_problem(file);
  const std::size_t rows = problem != nullptr ? problem->joint_rows.size() : 0;
  if (!file.joint_guess.empty() && file.joint_guess.size() != rows)
    fail_input(fmt::format("the joint guess has {} entries, it must have {} or none", file.joint_guess.size(), rows));
  for (std::size_t k = 0; k < file.joint_guess.size(); ++k)
    if (!std::isfinite(file.joint_guess[k]))
      fail_input(fmt::format("the joint guess[{}] is {}, it must be finite", k, file.joint_guess[k]));
  require(problem != nullptr || file.contact_colour.empty(), "only a ContactProblem can have colours");
  if (!file.contact_colour.empty()) check_colours(*problem, file.contact_colour);
}

std::int64_t impulse_count(const ProblemFile& file) {
  if (const auto* contact = std::get_if<ContactProblem>(&file.problem))
    return contact_rows(*contact) * static_cast<std::int64_t>(contact->contacts.size());
  if (const auto* local = std::get_if<DelassusProblem>(&file.problem))
    return static_cast<std::int64_t>(local->q.size());
  return static_cast<std::int64_t>(std::get<GlobalProblem>(file.problem).w.size());
}

}  // namespace cairn
