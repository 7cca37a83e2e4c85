// SPDX-License-Identifier: MIT
// write_problem: the three forms as FCLIB groups, and Cairn's own groups for what FCLIB cannot hold.
#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <new>

#include "cairn/core/index.h"
#include "cairn/io/contact_fields.h"
#include "cairn/io/hdf5.h"
#include "cairn/io/problem_file.h"

namespace cairn {

namespace {

std::size_t at(std::int64_t i) { return to_index(i); }

std::int32_t narrow(std::int64_t value) {
  if (value > INT32_MAX) fail_input("the problem is too large: FCLIB counts entries with 32 bits", ErrorKind::limit);
  return static_cast<std::int32_t>(value);
}

/// A compressed matrix as FCLIB stores it.
struct Compressed {
  std::int64_t rows = 0, cols = 0;
  std::int32_t kind = -1;  ///< nz: -1 columns, -2 rows compressed
  std::vector<std::int32_t> start, index;
  std::vector<double> value;
};

Compressed compressed(const SparseMatrix& m) {
  Compressed c{m.rows, m.cols, -1, {}, m.row, m.value};
  for (const std::int64_t start : m.col_start) c.start.push_back(narrow(start));
  return c;
}

/// Every entry of every stored block, zeros too: the pattern comes back as it was.
Compressed compressed(const BlockSparse& w) {
  Compressed c{w.rows() * w.dim, w.rows() * w.dim, -2, {0}, {}, {}};
  for (std::int64_t row = 0; row < w.rows(); ++row)
    for (int i = 0; i < w.dim; ++i) {
      for (std::int64_t k = w.row_start[at(row)]; k < w.row_start[at(row) + 1]; ++k)
        for (int j = 0; j < w.dim; ++j) {
          c.index.push_back(narrow(std::int64_t{w.column[at(k)]} * w.dim + j));
          c.value.push_back(w.block(k)[i * w.dim + j]);
        }
      c.start.push_back(narrow(static_cast<std::int64_t>(c.index.size())));
    }
  return c;
}

void write_matrix(Hdf5Writer& out, const std::string& path, const Compressed& m) {
  out.group(path);
  out.write(path + "/m", narrow(m.rows));
  out.write(path + "/n", narrow(m.cols));
  out.write(path + "/nzmax", narrow(static_cast<std::int64_t>(m.value.size())));
  out.write(path + "/nz", m.kind);
  out.write(path + "/p", std::span(m.start));
  out.write(path + "/i", std::span(m.index));
  out.write(path + "/x", std::span(m.value));
}

void write_info(Hdf5Writer& out, const std::string& root, const ProblemFile& file) {
  out.group(root + "/info");
  out.write_text(root + "/info/title", file.title);
  out.write_text(root + "/info/description", file.description);
  out.write_text(root + "/info/math_info", file.math_info);
}

/// True where mu alone says everything about the friction of a contact.
bool is_plain(const FrictionAxes& axes, int dim) {
  return dim < 4 && axes == FrictionAxes{axes.s, dim == 2 ? 0.0 : axes.s, 0.0};
}

void write_local(Hdf5Writer& out, const DelassusProblem& problem, const ProblemFile& file,
                 std::vector<std::string>& notes) {
  const std::string root = "/fclib_local";
  out.group(root);
  out.write(root + "/spacedim", problem.dim());
  write_matrix(out, root + "/W", compressed(problem.w));
  out.group(root + "/vectors");
  out.write(root + "/vectors/q", std::span(problem.q));
  std::vector<double> mu, axes;
  bool plain = problem.dim() < 4;
  for (const FrictionAxes& f : problem.friction) {
    mu.push_back(f.s);
    axes.insert(axes.end(), {f.s, f.t, f.spin});
    plain = plain && is_plain(f, problem.dim());
  }
  out.write(root + "/vectors/mu", std::span<const double>(mu));
  write_info(out, root, file);
  if (plain) return;
  out.group("/cairn");
  out.write("/cairn/friction", std::span<const double>(axes));
  notes.emplace_back("friction axes that FCLIB cannot hold are in /cairn/friction; other programs see only mu");
}

void write_global(Hdf5Writer& out, const GlobalProblem& problem, const ProblemFile& file) {
  const std::string root = "/fclib_global";
  out.group(root);
  out.write(root + "/spacedim", problem.dim);
  write_matrix(out, root + "/M", compressed(problem.m));
  write_matrix(out, root + "/H", compressed(problem.h));
  out.group(root + "/vectors");
  out.write(root + "/vectors/f", std::span(problem.f));
  out.write(root + "/vectors/w", std::span(problem.w));
  out.write(root + "/vectors/mu", std::span(problem.mu));
  if (problem.g.cols > 0) {
    write_matrix(out, root + "/G", compressed(problem.g));
    out.write(root + "/vectors/b", std::span(problem.b));
  }
  write_info(out, root, file);
}

struct FieldWriter {
  Hdf5Writer& out;
  std::string root;

  template <class Span, class Each>
  void reals(const char* name, Span elements, const Each& each) {
    out.write(root + name, std::span<const double>(gather<double>(elements, each)));
  }
  template <class Span, class Each>
  void ints(const char* name, Span elements, const Each& each) {
    out.write(root + name, std::span<const std::int32_t>(gather<std::int32_t>(elements, each)));
  }
  template <class Number, class Span, class Each>
  static std::vector<Number> gather(Span elements, const Each& each) {
    std::vector<Number> values;
    const auto use = [&](const Number& x) { values.push_back(x); };
    for (const auto& element : elements) each(element, use);
    return values;
  }
};

void write_contact(Hdf5Writer& out, const ContactProblem& problem, const ProblemFile& file,
                   std::vector<std::string>& notes) {
  out.group("/cairn_contact");
  out.write("/cairn_contact/version", std::int32_t{2});
  FieldWriter fields{out, "/cairn_contact/"};
  for_each_field(problem, fields);
  const Expected<GlobalProblem> standard = to_global(problem);
  if (standard) {
    write_global(out, *standard, file);
  } else {
    write_info(out, "/cairn_contact", file);
    notes.push_back(fmt::format("other programs cannot read this file: {}", standard.error().message));
  }
}

void check_impulses(const ProblemFile& file, const std::vector<double>& r, const char* name) {
  if (!r.empty() && static_cast<std::int64_t>(r.size()) != impulse_count(file))
    fail_input(fmt::format("{} has {} entries, it must have {} or none", name, r.size(), impulse_count(file)));
  for (std::size_t k = 0; k < r.size(); ++k)
    if (!std::isfinite(r[k])) fail_input(fmt::format("{}[{}] is {}, it must be finite", name, k, r[k]));
}

void check(const ProblemFile& file) {
  if (const auto* local = std::get_if<DelassusProblem>(&file.problem)) validate_pattern(local->w);
  std::visit([](const auto& problem) { validate(problem); }, file.problem);
  check_impulses(file, file.guess, "the guess");
  check_impulses(file, file.solution, "the solution");
  check_warm_start(file);
  for (const std::string* text : {&file.title, &file.description, &file.math_info})
    if (static_cast<std::int64_t>(text->size()) >= kMaxTextBytes || text->find('\0') != std::string::npos)
      fail_input(fmt::format("title, description and math_info must be shorter than {} bytes and hold no zero byte",
                             kMaxTextBytes));
}

void write_content(const std::string& path, const ProblemFile& file, std::vector<std::string>& notes) {
  Hdf5Writer out(path);
  if (const auto* contact = std::get_if<ContactProblem>(&file.problem)) write_contact(out, *contact, file, notes);
  if (const auto* local = std::get_if<DelassusProblem>(&file.problem)) write_local(out, *local, file, notes);
  if (const auto* global = std::get_if<GlobalProblem>(&file.problem)) write_global(out, *global, file);
  if (!file.guess.empty()) {
    out.group("/guesses");
    out.group("/guesses/1");
    out.write("/guesses/number_of_guesses", std::int32_t{1});
    out.write("/guesses/1/r", std::span(file.guess));
  }
  if (!file.joint_guess.empty() || !file.contact_colour.empty()) out.group("/cairn");
  if (!file.joint_guess.empty()) out.write("/cairn/joint_guess", std::span(file.joint_guess));
  if (!file.contact_colour.empty()) out.write("/cairn/contact_colour", std::span(file.contact_colour));
  if (!file.solution.empty()) {
    out.group("/solution");
    out.write("/solution/r", std::span(file.solution));
  }
  out.close();
}

/// A name beside the target that is removed again unless the file reached its place.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& target) {
    for (int k = 0; k < 100 && name_.empty(); ++k) {
      const std::string name = fmt::format("{}.part-{}-{}", target, ::getpid(), k);
      if (::access(name.c_str(), F_OK) != 0) name_ = name;
    }
    if (name_.empty()) fail_input("has too many unfinished .part files beside it: remove them", ErrorKind::io);
  }
  ~TemporaryFile() { ::unlink(name_.c_str()); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  const std::string& name() const { return name_; }

  void flush() const {
    const int descriptor = ::open(name_.c_str(), O_RDONLY | O_CLOEXEC);
    const bool good = descriptor >= 0 && ::fsync(descriptor) == 0;
    if (descriptor >= 0) ::close(descriptor);
    if (!good) fail_input(fmt::format("cannot be written: {}", std::strerror(errno)), ErrorKind::io);
  }

  /// `link` never replaces a file, even one made since we looked; some file systems know only `rename`.
  void move_to(const std::string& target, bool overwrite) const {
    if (!overwrite && ::link(name_.c_str(), target.c_str()) == 0) return;
    const bool taken = !overwrite && (errno == EEXIST || ::access(target.c_str(), F_OK) == 0);
    if (taken) fail_input("exists already: choose another name or allow overwriting", ErrorKind::io);
    if (std::rename(name_.c_str(), target.c_str()) != 0)
      fail_input(fmt::format("cannot be written: {}", std::strerror(errno)), ErrorKind::io);
  }

 private:
  std::string name_;
};

}  // namespace

Expected<WriteReport> write_problem(const ProblemFile& file, const std::string& path, const WriteSettings& settings) {
  try {
    check(file);
    if (!settings.overwrite && ::access(path.c_str(), F_OK) == 0)
      fail_input("exists already: choose another name or allow overwriting", ErrorKind::io);
    WriteReport report;
    const TemporaryFile temporary(path);
    write_content(temporary.name(), file, report.notes);
    temporary.flush();
    temporary.move_to(path, settings.overwrite);
    return report;
  } catch (const InputError& error) {
    return Error{error.kind(), fmt::format("{}: {}", path, error.what())};
  } catch (const std::bad_alloc&) {
    return Error{ErrorKind::limit, fmt::format("{}: there is not enough memory to write it", path)};
  }
}

}  // namespace cairn
