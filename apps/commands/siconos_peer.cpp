// SPDX-License-Identifier: MIT
// The files exchanged with siconos_peer.py, in a temporary folder, native byte order:
//   problem   int64 contacts, int64 blocks, int64 row_start[contacts + 1], int32 column[blocks],
//             double values[9 blocks] (row major), double q[3 contacts], double friction[contacts]
//   answer    double info, double iterations, double seconds, double impulse[3 contacts]
#include "apps/commands/siconos_peer.h"

#include <fmt/format.h>
#include <signal.h>
#include <stdlib.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <span>
#include <system_error>
#include <utility>

#include "apps/cli/child_process.h"
#include "apps/cli/csv.h"

namespace cairn::cli {

extern const char* const kSiconosScript;  ///< siconos_peer.py, embedded by the build

namespace {

namespace fs = std::filesystem;

// Debian's interpreter, because another one on PATH does not see Debian's packages; always with -I, so that neither the
// environment nor the working folder changes which modules it loads.
constexpr const char* kPython = "/usr/bin/python3";
constexpr double kStartSeconds = 120;  // for loading the library on a busy machine

/// A folder of our own that disappears with everything in it.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::error_code failure;
    std::string name = (fs::temp_directory_path(failure) / "cairn-siconos-XXXXXX").string();
    if (!failure && ::mkdtemp(name.data())) path_ = name;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  bool usable() const { return !path_.empty(); }
  std::string file(const char* name) const { return (path_ / name).string(); }
  std::string path() const { return path_.string(); }

 private:
  fs::path path_;
};

template <class T>
void put(std::ostream& file, std::span<const T> values) {
  file.write(reinterpret_cast<const char*>(values.data()), static_cast<std::streamsize>(values.size_bytes()));
}

template <class T>
bool get(std::istream& file, std::span<T> values) {
  file.read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(values.size_bytes()));
  return file.good();
}

bool write_problem(const DelassusProblem& problem, const std::string& path) {
  std::ofstream file(path, std::ios::binary);
  const std::int64_t counts[] = {problem.contact_count(), problem.w.block_count()};
  put<std::int64_t>(file, counts);
  put<std::int64_t>(file, problem.w.row_start);
  put<std::int32_t>(file, problem.w.column);
  put<double>(file, problem.w.values);
  put<double>(file, problem.q);
  for (const FrictionAxes& axes : problem.friction) put<double>(file, std::span(&axes.s, 1));
  file.close();
  return file.good();
}

bool read_answer(const std::string& path, std::size_t rows, SiconosResult& result) {
  std::ifstream file(path, std::ios::binary);
  double head[3] = {};
  std::vector<double> impulse(rows);
  if (!file || !get<double>(file, head) || !get<double>(file, impulse)) return false;
  result.status = head[0] == 0 ? SiconosStatus::solved : SiconosStatus::not_reached;
  result.iterations = static_cast<int>(head[1]);
  result.seconds = head[2];
  result.impulse = std::move(impulse);
  return true;
}

/// The last line of an error text: what Python prints there says what happened.
std::string last_line(std::string_view text) {
  while (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  const std::size_t start = text.find_last_of('\n');
  return std::string(start == std::string_view::npos ? text : text.substr(start + 1));
}

struct Limits {
  double tolerance;
  int max_iterations;
  double seconds;
  const std::atomic<bool>* interrupt;
};

/// False when the caller asked to stop.
bool run_one(const TemporaryFolder& folder, const Limits& limits, std::size_t rows, SiconosResult& result) {
  std::error_code ignored;
  fs::remove(folder.file("answer"), ignored);
  const ChildResult child =
      run_child({kPython, "-I", folder.file("script.py"), folder.path(), result.name, exact_number(limits.tolerance),
                 std::to_string(limits.max_iterations), exact_number(limits.seconds)},
                {.time_limit = limits.seconds + kStartSeconds, .interrupt = limits.interrupt});
  if (child.end == ChildEnd::interrupted) return false;
  // The script ends itself by an alarm; our own limit is for an interpreter that hangs before it gets there.
  const bool alarm = child.end == ChildEnd::signalled && child.code == SIGALRM;
  if (alarm || child.end == ChildEnd::timed_out) {
    result.status = SiconosStatus::timeout;
    result.seconds = limits.seconds;
  } else if (!child.ok() || !read_answer(folder.file("answer"), rows, result)) {
    result.status = SiconosStatus::crashed;
    result.detail = fmt::format("{}: {}", describe(child), last_line(child.err));
  }
  return true;
}

/// Why Siconos cannot be given this problem; empty when it can.
std::string refusal(const DelassusProblem& problem) {
  if (problem.dim() != 3)
    return fmt::format("Siconos is compared on problems of 3 rows per contact; this one has {}", problem.dim());
  const auto isotropic = [](const FrictionAxes& axes) { return axes.s == axes.t && axes.spin == 0; };
  const auto odd = std::find_if_not(problem.friction.begin(), problem.friction.end(), isotropic);
  if (odd == problem.friction.end()) return {};
  return fmt::format("Siconos has one friction coefficient per contact; contact {} has {} and {}",
                     odd - problem.friction.begin(), odd->s, odd->t);
}

}  // namespace

const char* to_string(SiconosStatus status) {
  switch (status) {
    case SiconosStatus::solved: return "solved";
    case SiconosStatus::not_reached: return "not reached";
    case SiconosStatus::timeout: return "timeout";
    case SiconosStatus::crashed: break;
  }
  return "crashed";
}

bool siconos_available() {
  static const bool available =
      run_child({kPython, "-I", "-c", "import siconos.numerics, scipy.sparse"}, {.time_limit = kStartSeconds}).ok();
  return available;
}

Expected<std::vector<SiconosResult>> run_siconos(const DelassusProblem& problem, double tolerance, int max_iterations,
                                                 double time_limit_seconds, const std::atomic<bool>* interrupt) {
  validate(problem);
  require(tolerance > 0, "the tolerance must be above zero");
  require(max_iterations > 0, "the number of iterations must be above zero");
  require(time_limit_seconds > 0 && time_limit_seconds < 1e9, "the time limit must be above zero, in seconds");
  if (const std::string reason = refusal(problem); !reason.empty()) return Error{ErrorKind::unsupported, reason};
  if (!siconos_available())
    return Error{ErrorKind::unsupported, "Siconos is not installed; on Debian: apt-get install python3-siconos"};

  const TemporaryFolder folder;
  if (!folder.usable() || !write_problem(problem, folder.file("problem")) ||
      !write_text_file(folder.file("script.py"), kSiconosScript, true))
    return Error{ErrorKind::io, "cannot write to a temporary folder; set TMPDIR to one with free space"};

  const Limits limits{tolerance, max_iterations, time_limit_seconds, interrupt};
  std::vector<SiconosResult> results;
  for (const char* name : {"NSGS", "PROX", "NSN_AC", "ADMM"}) {
    SiconosResult result;
    result.name = name;
    if (!run_one(folder, limits, problem.q.size(), result)) break;
    results.push_back(std::move(result));
  }
  return results;
}

}  // namespace cairn::cli
