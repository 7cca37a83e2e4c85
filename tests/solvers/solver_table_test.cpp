// SPDX-License-Identifier: MIT
#include "cairn/solvers/solver_table.h"

#include <gtest/gtest.h>

#include "cairn/core/errors.h"

namespace cairn {
namespace {

std::string message(std::string_view solver, const NamedSettings& settings) {
  try {
    make_solver(solver, settings);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(SolverTable, EveryDefaultIsAcceptedByItsOwnSetting) {
  for (const SolverInfo& solver : solver_table()) {
    EXPECT_FALSE(solver.summary.empty());
    for (const SettingInfo& setting : solver.settings) {
      EXPECT_FALSE(setting.help.empty()) << setting.name;
      EXPECT_EQ(message(solver.name, {{setting.name, setting.value}}), "") << solver.name << ' ' << setting.name;
    }
  }
}

TEST(SolverTable, BadNamesAndValuesAreRefusedWithTheCure) {
  EXPECT_NE(message("gaus_seidel", {}).find("'gauss_seidel'"), std::string::npos);
  EXPECT_NE(message("jacobi", {{"relaxtion", "1"}}).find("'relaxation'"), std::string::npos);
  EXPECT_NE(message("jacobi", {{"relaxation", "3"}}).find("[0.01, 1.99]"), std::string::npos);
  for (const char* bad : {"", "nan", "inf", "1e999", "1.0x", " 1", "0x1"})
    EXPECT_NE(message("jacobi", {{"relaxation", bad}}), "") << bad;
  EXPECT_NE(message("jacobi", {{"operator", "B"}}).find("factorised"), std::string::npos);
  EXPECT_NE(message("jacobi", {{"rollback", "yes"}}).find("on or off"), std::string::npos);
  EXPECT_NE(message("jacobi", {{"parts", "99999999999999999999"}}), "");
}

}  // namespace
}  // namespace cairn
