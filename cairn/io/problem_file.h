// SPDX-License-Identifier: MIT
// Problems in files: FCLIB HDF5, the exchange format of frictional contact problems, and what Cairn adds to it.
//
//   /fclib_local    W, q, mu, spacedim[, V, R, s]    read as DelassusProblem, V, R, s eliminated
//   /fclib_global   M, H, f, w, mu, spacedim[, G, b] read as GlobalProblem
//   /cairn_contact  one dataset per field            read as ContactProblem, preferred where it is present
//   /cairn/friction three axes per contact           beside fclib_local, where mu cannot hold the friction
//   /guesses/1/r, /solution/r                        impulses; ignored with a note where they do not fit
//   /cairn/joint_guess, /cairn/contact_colour        the rest of a warm start, beside cairn_contact; the same
//
// Our own problems come back bit for bit. A ContactProblem is accompanied by its fclib_global form where it has one, so
// that other programs read the same problem.
#pragma once

#include <span>
#include <string>
#include <variant>
#include <vector>

#include "cairn/core/errors.h"
#include "cairn/problem/contact_problem.h"
#include "cairn/problem/delassus.h"
#include "cairn/problem/global_problem.h"

namespace cairn {

struct ProblemFile {
  std::variant<ContactProblem, DelassusProblem, GlobalProblem> problem;
  std::string title{}, description{}, math_info{};  // {}: so that the problem alone may be given
  std::vector<double> guess{};                      ///< r, rows per contact as in the problem; empty: none
  std::vector<double> solution{};                   ///< the same
  std::vector<double> joint_guess{};                ///< of a ContactProblem, per joint row; empty: none
  std::vector<std::int32_t> contact_colour{};       ///< of a ContactProblem, per contact, -1: none; empty: unknown
  std::vector<std::string> notes{};  ///< filled by reading: one sentence each, what the user should know; never written
};

struct ReadSettings {
  double time_limit = 10;  ///< s of a processor (isolate.h); reading longer than this is an error
};

struct WriteSettings {
  bool overwrite = false;  ///< replace an existing file
};

struct WriteReport {
  std::vector<std::string> notes;  ///< what a reader other than Cairn will not find in the file
};

/// Reads in a process of its own (cairn/io/isolate.h), so that a file made to crash or hang HDF5 is one clear error.
/// The message names the file, the dataset, the value and what was expected. No other file is opened.
Expected<ProblemFile> read_problem(const std::string& path, const ReadSettings& settings = {});

/// The same in this process: for tests and sanitizers, and for files one has written oneself.
Expected<ProblemFile> read_problem_in_process(const std::string& path);

/// Writes to a temporary name in the same folder and renames it: the file is complete or absent.
Expected<WriteReport> write_problem(const ProblemFile& file, const std::string& path,
                                    const WriteSettings& settings = {});

/// Impulses of the problem: rows per contact times contacts.
std::int64_t impulse_count(const ProblemFile& file);

/// The guesses of a ContactProblem as a solver takes them, and back. No guess: no impulses.
ContactSolution warm_start(const ProblemFile& file);
void set_warm_start(ProblemFile& file, const ContactSolution& start);

/// The colours that files may hold: -1 up to, and without, this.
inline constexpr std::int32_t kMostFileColours = 4096;

/// Throws InputError unless these are colours that solvers may rely on in threads: of one colour, all contacts of a
/// body that can move are with one partner and follow each other.
void check_colours(const ContactProblem& problem, std::span<const std::int32_t> colour);

/// Throws InputError unless `joint_guess` and `contact_colour` are empty or fit the problem.
void check_warm_start(const ProblemFile& file);

}  // namespace cairn
