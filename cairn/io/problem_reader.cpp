// SPDX-License-Identifier: MIT
// read_problem_in_process: from checked datasets to a checked problem. Sizes come from the vectors that are really
// there (mu, f, b, s); matrices must agree with them before memory is taken for their rows.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <new>

#include "cairn/core/index.h"
#include "cairn/io/contact_fields.h"
#include "cairn/io/hdf5.h"
#include "cairn/io/problem_file.h"

namespace cairn {

namespace {

constexpr double kAsymmetryWorthANote = 1e-9;

std::size_t at(std::int64_t i) { return to_index(i); }

void check_range(const std::string& path, std::int64_t value, std::int64_t most) {
  if (value >= 0 && value <= most) return;
  fail_input(fmt::format("{} is {}, expected 0 to {}", path, value, most),
             value < 0 ? ErrorKind::bad_input : ErrorKind::limit);
}

std::vector<double> read_finite(const Hdf5Reader& in, const std::string& path, std::int64_t count,
                                bool prefix = false) {
  std::vector<double> values = in.read_doubles(path, count, prefix);
  for (std::size_t k = 0; k < values.size(); ++k)
    if (!std::isfinite(values[k]))
      fail_input(fmt::format("{}[{}] is {}, expected a finite number", path, k, values[k]));
  return values;
}

std::vector<double> read_friction(const Hdf5Reader& in, const std::string& path) {
  std::vector<double> mu = read_finite(in, path, in.extent(path));
  for (std::size_t k = 0; k < mu.size(); ++k)
    if (mu[k] < 0) fail_input(fmt::format("{}[{}] is {}, expected a friction coefficient >= 0", path, k, mu[k]));
  return mu;
}

std::vector<std::int64_t> read_bounded(const Hdf5Reader& in, const std::string& path, std::int64_t count,
                                       std::int64_t bound) {
  std::vector<std::int64_t> index = in.read_indices(path, count, true);
  for (std::size_t k = 0; k < index.size(); ++k)
    if (index[k] < 0 || index[k] >= bound)
      fail_input(fmt::format("{}[{}] is {}, expected an index in [0, {})", path, k, index[k], bound));
  return index;
}

/// Where the lines of a compressed matrix begin, and at the end how many entries there are.
std::vector<std::int64_t> read_starts(const Hdf5Reader& in, const std::string& path, std::int64_t lines,
                                      std::int64_t nzmax) {
  std::vector<std::int64_t> start = in.read_ints(path, lines + 1);
  for (std::size_t k = 0; k < start.size(); ++k) {
    const std::int64_t least = k == 0 ? 0 : start[k - 1], most = k == 0 ? 0 : nzmax;
    if (start[k] < least || start[k] > most)
      fail_input(fmt::format("{}[{}] is {}, expected {} to {}", path, k, start[k], least, most));
  }
  return start;
}

std::vector<std::int64_t> expand(const std::vector<std::int64_t>& start) {
  std::vector<std::int64_t> line(at(start.back()));
  for (std::size_t k = 0; k + 1 < start.size(); ++k)
    std::fill(line.begin() + start[k], line.begin() + start[k + 1], static_cast<std::int64_t>(k));
  return line;
}

struct Shape {
  std::int64_t rows, cols;
  const char* because;  ///< where the size comes from, for the message
};

void check_size(const Hdf5Reader& in, const std::string& path, std::int64_t expected, const char* because) {
  const std::int64_t size = in.read_int(path);
  check_range(path, size, kMaxMatrixRows);
  if (size != expected) fail_input(fmt::format("{} is {}, expected {}: {}", path, size, expected, because));
}

/// nz = -1: columns compressed, -2: rows compressed, >= 0: so many triplets with i the row and p the column.
SparseMatrix read_matrix(const Hdf5Reader& in, const std::string& path, const Shape& shape) {
  in.require_group(path);
  check_size(in, path + "/m", shape.rows, shape.because);
  check_size(in, path + "/n", shape.cols, shape.because);
  const std::int64_t nzmax = in.read_int(path + "/nzmax"), nz = in.read_int(path + "/nz");
  check_range(path + "/nzmax", nzmax, kMaxArrayEntries);
  if (nz < -2 || nz > nzmax)
    fail_input(
        fmt::format("{}/nz is {}, expected -1 (columns compressed), -2 (rows compressed) or 0 to nzmax = {} "
                    "triplets",
                    path, nz, nzmax));
  std::vector<std::int64_t> i, j;
  if (nz >= 0) {
    i = read_bounded(in, path + "/i", nz, shape.rows);
    j = read_bounded(in, path + "/p", nz, shape.cols);
  } else {
    const std::vector<std::int64_t> start = read_starts(in, path + "/p", nz == -1 ? shape.cols : shape.rows, nzmax);
    i = read_bounded(in, path + "/i", start.back(), nz == -1 ? shape.rows : shape.cols);
    j = expand(start);
    if (nz == -2) std::swap(i, j);
  }
  const std::vector<double> x = read_finite(in, path + "/x", static_cast<std::int64_t>(i.size()), true);
  SparseMatrix matrix = from_triplets(shape.rows, shape.cols, i, j, x);
  for (const double value : matrix.value)  // finite entries may still overflow when duplicates are summed
    if (!std::isfinite(value)) fail_input(fmt::format("{}/x has duplicates whose sum is {}", path, value));
  return matrix;
}

int read_dimension(const Hdf5Reader& in, const std::string& path, bool four_allowed) {
  const std::int64_t dim = in.read_int(path);
  if (dim == 5)
    fail_input(fmt::format("{} is 5: rolling friction is not supported, only sliding (2 or 3)", path),
               ErrorKind::unsupported);
  if (dim != 2 && dim != 3 && !(dim == 4 && four_allowed))
    fail_input(fmt::format("{} is {}, expected 2 or 3", path, dim));
  return static_cast<int>(dim);
}

/// The friction that mu cannot hold: unequal axes and spin, three numbers per contact.
void read_friction_axes(const Hdf5Reader& in, DelassusProblem& problem) {
  const std::string path = "/cairn/friction";
  const std::vector<double> axes = read_finite(in, path, 3 * problem.contact_count());
  for (std::size_t k = 0; k < problem.friction.size(); ++k) {
    problem.friction[k] = {axes[3 * k], axes[3 * k + 1], axes[3 * k + 2]};
    for (std::size_t i = 3 * k; i < 3 * k + 3; ++i)
      if (axes[i] < 0) fail_input(fmt::format("{}[{}] is {}, expected a coefficient >= 0", path, i, axes[i]));
  }
}

void note_matrix(const DelassusProblem& problem, std::vector<std::string>& notes) {
  const double skew = asymmetry(problem.w);
  if (skew > kAsymmetryWorthANote)
    notes.push_back(fmt::format("W is not symmetric: max|W - W^T| / max|W| = {:.2g}", skew));
  for (std::int64_t k = 0; k < problem.contact_count(); ++k)
    for (int i = 0; i < problem.dim(); ++i)
      if (problem.w.diagonal_block(k)[i * problem.dim() + i] < 0) {
        notes.push_back(fmt::format("W is not positive semidefinite: its diagonal is negative at contact {}", k));
        return;
      }
}

DelassusProblem read_local(const Hdf5Reader& in, std::vector<std::string>& notes) {
  const std::string root = "/fclib_local";
  in.require_group(root);
  in.require_group(root + "/vectors");
  const bool axes = in.has("/cairn/friction");
  LocalProblem local;
  const int dim = read_dimension(in, root + "/spacedim", axes);
  local.dim = dim;
  local.mu = read_friction(in, root + "/vectors/mu");
  const std::int64_t rows = dim * static_cast<std::int64_t>(local.mu.size());
  local.q = read_finite(in, root + "/vectors/q", rows);
  local.w = read_matrix(in, root + "/W", {rows, rows, "spacedim times the length of vectors/mu"});
  DelassusProblem problem;
  if (in.has(root + "/V")) {
    const std::int64_t equalities = in.extent(root + "/vectors/s");
    local.s = read_finite(in, root + "/vectors/s", equalities);
    local.v = read_matrix(in, root + "/V", {rows, equalities, "rows as W, columns as vectors/s"});
    local.r = read_matrix(in, root + "/R", {equalities, equalities, "the length of vectors/s"});
    Expected<DelassusProblem> reduced = to_delassus(local);
    if (!reduced) fail_input(fmt::format("{}/R: {}", root, reduced.error().message));
    problem = std::move(reduced).value_or_throw();
    notes.push_back(fmt::format("{} equalities (V, R, s) were eliminated from W and q", equalities));
  } else {
    // Not through to_delassus: with four rows per contact (spin) this is ours alone.
    problem.w = to_blocks(local.w, dim);
    problem.q = std::move(local.q);
    for (const double mu : local.mu) problem.friction.push_back({mu, dim == 2 ? 0.0 : mu, 0.0});
  }
  if (axes) read_friction_axes(in, problem);
  validate(problem);
  note_matrix(problem, notes);
  return problem;
}

GlobalProblem read_global(const Hdf5Reader& in, std::vector<std::string>& notes) {
  const std::string root = "/fclib_global";
  in.require_group(root);
  in.require_group(root + "/vectors");
  GlobalProblem problem;
  problem.dim = read_dimension(in, root + "/spacedim", false);
  problem.mu = read_friction(in, root + "/vectors/mu");
  const std::int64_t rows = problem.dim * problem.contact_count(), dofs = in.extent(root + "/vectors/f");
  problem.f = read_finite(in, root + "/vectors/f", dofs);
  problem.w = read_finite(in, root + "/vectors/w", rows);
  problem.m = read_matrix(in, root + "/M", {dofs, dofs, "the length of vectors/f"});
  problem.h = read_matrix(in, root + "/H", {dofs, rows, "vectors/f times spacedim * vectors/mu"});
  if (in.has(root + "/G")) {
    const std::int64_t equalities = in.extent(root + "/vectors/b");
    problem.b = read_finite(in, root + "/vectors/b", equalities);
    problem.g = read_matrix(in, root + "/G", {dofs, equalities, "rows as M, columns as vectors/b"});
  }
  if (stores_one_triangle(problem.m))
    notes.emplace_back("M holds one triangle only and stands for the symmetric matrix");
  return problem;
}

/// Fills the fields of a problem whose vectors have their sizes.
struct FieldReader {
  const Hdf5Reader& in;
  std::string root;
  std::int64_t version;

  template <class Span, class Each>
  void reals(const char* name, Span elements, const Each& each) {
    if (version == 1 && std::string_view(name) == "row_damping") return;  // rows had none then
    const std::vector<double> values = in.read_doubles(root + name, count(elements, each));
    for (std::size_t k = 0; k < values.size(); ++k)  // bounds may be infinite; the rest is for validate
      if (std::isnan(values[k])) fail_input(fmt::format("{}{}[{}] is nan, expected a number", root, name, k));
    fill(elements, each, values);
  }
  template <class Span, class Each>
  void ints(const char* name, Span elements, const Each& each) {
    const std::vector<std::int64_t> values = in.read_ints(root + name, count(elements, each));
    for (std::size_t k = 0; k < values.size(); ++k)
      if (values[k] < INT32_MIN || values[k] > INT32_MAX)
        fail_input(fmt::format("{}{}[{}] is {}, expected 32 bits", root, name, k, values[k]));
    fill(elements, each, values);
  }

  template <class Span, class Each>
  static std::int64_t count(Span elements, const Each& each) {
    return static_cast<std::int64_t>(elements.size()) * field_width<typename Span::value_type>(each);
  }
  template <class Span, class Each, class Values>
  static void fill(Span elements, const Each& each, const Values& values) {
    std::size_t next = 0;
    const auto use = [&](auto& x) { x = static_cast<std::remove_reference_t<decltype(x)>>(values[next++]); };
    for (auto& element : elements) each(element, use);
  }
};

ContactProblem read_contact(const Hdf5Reader& in) {
  const std::string root = "/cairn_contact/";
  in.require_group("/cairn_contact");
  const std::int64_t version = in.read_int(root + "version");
  if (version != 1 && version != 2)
    fail_input(fmt::format("{}version is {}, this build reads 1 and 2", root, version), ErrorKind::unsupported);
  // The vectors get the length of a field with one number per element that is really in the file.
  ContactProblem problem;
  problem.bodies.resize(at(in.extent(root + "body_inverse_mass")));
  problem.contacts.resize(at(in.extent(root + "contact_gap")));
  problem.joints.resize(at(in.extent(root + "joint_first_row")));
  problem.joint_rows.resize(at(in.extent(root + "row_error")));
  FieldReader fields{in, root, version};
  for_each_field(problem, fields);
  try {
    validate(problem);
  } catch (const InputError& error) {
    fail_input(fmt::format("/cairn_contact: {}", error.what()));
  }
  return problem;
}

/// Calls use() and turns what it refuses into a note: for the parts a problem can do without.
template <class Use>
void optionally(const std::string& what, std::vector<std::string>& notes, Use&& use) {
  try {
    use();
  } catch (const InputError& error) {
    notes.push_back(fmt::format("{} is ignored: {}", what, error.what()));
  }
}

/// Some published files store zeros in place of the solution. Zero impulses are an answer only where nothing
/// approaches; whether a global problem is at rest is seen without solving it only when all its loads are zero.
bool zero_could_solve(const ProblemFile& file) {
  if (const auto* local = std::get_if<DelassusProblem>(&file.problem)) {
    for (std::size_t k = 0; k < local->q.size(); k += at(local->dim()))
      if (local->q[k] < 0) return false;
  }
  if (const auto* global = std::get_if<GlobalProblem>(&file.problem)) {
    const auto zero = [](double x) { return x == 0; };
    return std::all_of(global->f.begin(), global->f.end(), zero) &&
           std::all_of(global->w.begin(), global->w.end(), zero);
  }
  return true;
}

void read_impulses(const Hdf5Reader& in, ProblemFile& file) {
  const std::int64_t count = impulse_count(file);
  optionally("the guess", file.notes, [&] {
    if (in.has("/guesses/1/r")) file.guess = read_finite(in, "/guesses/1/r", count);
  });
  optionally("the solution", file.notes, [&] {
    if (in.has("/solution/r")) file.solution = read_finite(in, "/solution/r", count);
  });
  const bool zero = std::all_of(file.solution.begin(), file.solution.end(), [](double x) { return x == 0; });
  if (!file.solution.empty() && zero && !zero_could_solve(file)) {
    file.solution.clear();
    file.notes.emplace_back("the solution is ignored: /solution/r is all zeros and does not solve the problem");
  }
}

/// What of a warm start is not in the guess.
void read_extras(const Hdf5Reader& in, ProblemFile& file) {
  const auto* problem = std::get_if<ContactProblem>(&file.problem);
  if (problem == nullptr) return;
  optionally("the joint guess", file.notes, [&] {
    const auto rows = static_cast<std::int64_t>(problem->joint_rows.size());
    if (in.has("/cairn/joint_guess")) file.joint_guess = read_finite(in, "/cairn/joint_guess", rows);
  });
  optionally("contact_colour", file.notes, [&] {
    const auto count = static_cast<std::int64_t>(problem->contacts.size());
    if (!in.has("/cairn/contact_colour")) return;
    std::vector<std::int32_t> colours;
    for (const std::int64_t colour : in.read_ints("/cairn/contact_colour", count))
      colours.push_back(static_cast<std::int32_t>(std::clamp<std::int64_t>(colour, INT32_MIN, INT32_MAX)));
    check_colours(*problem, colours);
    file.contact_colour = std::move(colours);
  });
}

ProblemFile read_file(const std::string& path) {
  const Hdf5Reader in(path);
  ProblemFile file;
  std::string root = "/cairn_contact";
  if (in.has(root)) {
    file.problem = read_contact(in);
    if (in.has("/fclib_global")) root = "/fclib_global";  // where the texts are, if there is a standard form
  } else if (in.has(root = "/fclib_local")) {
    file.problem = read_local(in, file.notes);
  } else if (in.has(root = "/fclib_global")) {
    file.problem = read_global(in, file.notes);
  } else if (in.has("/fclib_global_rolling")) {
    fail_input("/fclib_global_rolling: rolling friction is not supported", ErrorKind::unsupported);
  } else {
    fail_input("holds no problem: expected a group /fclib_local, /fclib_global or /cairn_contact");
  }
  const auto text = [&](const char* name, std::string& to) {
    optionally(name, file.notes, [&] {
      const std::string where = fmt::format("{}/info/{}", root, name);
      if (in.has(where)) to = in.read_text(where);
    });
  };
  text("title", file.title);
  text("description", file.description);
  text("math_info", file.math_info);
  read_impulses(in, file);
  read_extras(in, file);
  return file;
}

}  // namespace

Expected<ProblemFile> read_problem_in_process(const std::string& path) {
  try {
    return read_file(path);
  } catch (const InputError& error) {
    return Error{error.kind(), fmt::format("{}: {}", path, error.what())};
  } catch (const std::bad_alloc&) {
    return Error{ErrorKind::limit, fmt::format("{}: there is not enough memory to read it", path)};
  }
}

}  // namespace cairn
