// SPDX-License-Identifier: MIT
// How a family of solvers writes its lines of the solver table: settings as fields, and how to make the solver from
// them. Only the files *_table.cpp of the families include this.
#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <functional>

#include "cairn/core/errors.h"
#include "cairn/core/names.h"
#include "cairn/solvers/solver_table.h"

namespace cairn {

/// One line of the table.
struct SolverEntry {
  SolverInfo info;
  std::function<std::unique_ptr<Solver>(const NamedSettings&)> make;  ///< throws InputError on a bad name or value
};

// The families, in the order of the table. A family appends its lines.
using SolverEntries = std::vector<SolverEntry>;
void add_prox_solvers(SolverEntries& table);
void add_ldl_solvers(SolverEntries& table);
void add_splitting_solvers(SolverEntries& table);
void add_soft_step_solver(SolverEntries& table);
void add_staggered_solvers(SolverEntries& table);
void add_exact_solver(SolverEntries& table);
void add_ffd_solver(SolverEntries& table);
void add_reference_solver(SolverEntries& table);

/// A setting of type-erased text over a settings struct S.
template <class S>
struct Field {
  std::string name, allowed, help;
  std::function<void(S&, std::string_view)> set;  ///< throws InputError on a bad value
  std::function<std::string(const S&)> get;
};

template <class S>
using Fields = std::vector<Field<S>>;

[[noreturn]] inline void refuse(const std::string& name, std::string_view value, const std::string& allowed) {
  fail_input(fmt::format("setting {}={}: the value must be {}", name, value, allowed));
}

template <class T>
T parse_setting(const std::string& name, std::string_view text, T least, T most, const std::string& allowed) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !(value >= least && value <= most))
    refuse(name, text, allowed);
  return value;
}

template <class S, class T>
Field<S> number(std::string name, T S::*member, T least, T most, std::string help) {
  const std::string allowed = fmt::format("a number in [{}, {}]", least, most);
  return {name, allowed, std::move(help),
          [=](S& s, std::string_view text) { s.*member = parse_setting<T>(name, text, least, most, allowed); },
          [=](const S& s) { return fmt::format("{}", s.*member); }};
}

template <class S>
Field<S> boolean(std::string name, bool S::*member, std::string help) {
  return {name, "on|off", std::move(help),
          [=](S& s, std::string_view text) {
            if (text != "on" && text != "off") refuse(name, text, "on or off");
            s.*member = text == "on";
          },
          [=](const S& s) { return s.*member ? "on" : "off"; }};
}

template <class S, class E>
Field<S> choice(std::string name, E S::*member, std::vector<std::pair<std::string, E>> values, std::string help) {
  std::string allowed;
  for (const auto& [text, value] : values) allowed += (allowed.empty() ? "" : "|") + text;
  return {name, allowed, std::move(help),
          [=](S& s, std::string_view text) {
            for (const auto& [candidate, value] : values)
              if (candidate == text) {
                s.*member = value;
                return;
              }
            refuse(name, text, "one of " + allowed);
          },
          [=](const S& s) {
            for (const auto& [candidate, value] : values)
              if (value == s.*member) return candidate;
            return std::string("?");
          }};
}

/// Limits that every solver has; they go before the caller's.
template <class S>
Field<S> iterations_field(std::string what) {
  return number("iterations", &S::iterations, 0, 1000000000, std::move(what) + " at most; 0: as the caller says");
}
template <class S>
Field<S> tolerance_field() {
  return number("tolerance", &S::tolerance, -1.0, 1.0,
                "residual to stop at; 0: never by the residual; negative: as the caller says");
}

template <class S>
std::vector<SettingInfo> describe(const Fields<S>& fields, const S& defaults) {
  std::vector<SettingInfo> result;
  for (const Field<S>& field : fields) result.push_back({field.name, field.get(defaults), field.allowed, field.help});
  return result;
}

template <class S>
S parse(std::string_view solver, const Fields<S>& fields, S settings, const NamedSettings& given) {
  for (const auto& [name, value] : given) {
    const auto field =
        std::find_if(fields.begin(), fields.end(), [&name = name](const Field<S>& f) { return f.name == name; });
    if (field == fields.end()) {
      std::vector<std::string> names;
      for (const Field<S>& f : fields) names.push_back(f.name);
      fail_input(fmt::format("solver {0} has no setting '{1}'{2}; `cairn solvers {0}` lists them all", solver, name,
                             did_you_mean(name, names)));
    }
    field->set(settings, value);
  }
  return settings;
}

/// What a family says of one of its solvers; see SolverInfo.
struct EntryTraits {
  bool joints = true, assembled = true;
};

/// A line of the table: the solver that `make` returns for `defaults` with the given settings put in.
template <class S>
SolverEntry solver_entry(std::string name, std::string summary, EntryTraits traits, Fields<S> fields, S defaults,
                         std::function<std::unique_ptr<Solver>(const S&)> make) {
  SolverInfo info{name, std::move(summary), traits.joints, traits.assembled, describe(fields, defaults)};
  return {std::move(info), [=](const NamedSettings& given) { return make(parse(name, fields, defaults, given)); }};
}

}  // namespace cairn
