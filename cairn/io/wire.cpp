// SPDX-License-Identifier: MIT
#include "cairn/io/wire.h"

#include <cstdint>
#include <type_traits>

#include "cairn/core/bytes.h"
#include "cairn/io/contact_fields.h"

namespace cairn {

namespace {

// `archive` below says once what is sent and in which order; Archive is a ByteWriter or a ByteReader.

template <class Archive, class Vector>
void numbers(Archive& a, Vector& v) {
  a.size(v, sizeof(v[0]));
  for (auto& x : v) a.number(x);
}

/// Lets for_each_field drive an archive.
template <class Archive>
struct FieldArchive {
  Archive& a;

  template <class Span, class Each>
  void reals(const char*, Span elements, const Each& each) {
    const auto use = [this](auto& x) { a.number(x); };
    for (auto& element : elements) each(element, use);
  }
  template <class Span, class Each>
  void ints(const char* name, Span elements, const Each& each) {
    reals(name, elements, each);
  }
};

template <class Archive, class Problem>
requires std::is_same_v<std::remove_const_t<Problem>, ContactProblem>
void archive(Archive& a, Problem& p) {
  a.size(p.bodies, 8);
  a.size(p.contacts, 8);
  a.size(p.joints, 8);
  a.size(p.joint_rows, 8);
  FieldArchive<Archive> fields{a};
  for_each_field(p, fields);
}

template <class Archive, class Problem>
requires std::is_same_v<std::remove_const_t<Problem>, DelassusProblem>
void archive(Archive& a, Problem& p) {
  a.number(p.w.dim);
  numbers(a, p.w.row_start);
  numbers(a, p.w.column);
  numbers(a, p.w.values);
  numbers(a, p.w.diagonal);
  numbers(a, p.q);
  a.size(p.friction, 24);
  for (auto& mu : p.friction) a.number(mu.s), a.number(mu.t), a.number(mu.spin);
}

template <class Archive, class Matrix>
void archive_matrix(Archive& a, Matrix& m) {
  a.number(m.rows);
  a.number(m.cols);
  numbers(a, m.col_start);
  numbers(a, m.row);
  numbers(a, m.value);
}

template <class Archive, class Problem>
requires std::is_same_v<std::remove_const_t<Problem>, GlobalProblem>
void archive(Archive& a, Problem& p) {
  a.number(p.dim);
  archive_matrix(a, p.m);
  archive_matrix(a, p.h);
  archive_matrix(a, p.g);
  numbers(a, p.f);
  numbers(a, p.w);
  numbers(a, p.mu);
  numbers(a, p.b);
}

template <class Archive, class File>
void archive_rest(Archive& a, File& file) {
  a.text(file.title);
  a.text(file.description);
  a.text(file.math_info);
  numbers(a, file.guess);
  numbers(a, file.solution);
  numbers(a, file.joint_guess);
  numbers(a, file.contact_colour);
  a.size(file.notes, 8);
  for (auto& note : file.notes) a.text(note);
}

constexpr std::int64_t kError = -1;  // in the place of the problem's index

void check(const ContactProblem& p) { validate(p); }
void check(const GlobalProblem& p) { validate(p); }
void check(const DelassusProblem& p) {
  validate_pattern(p.w);
  validate(p);
}

}  // namespace

Expected<ProblemFile> decode(const std::string& bytes) {
  ByteReader a(bytes);
  std::int64_t index = 0;
  a.number(index);
  if (index == kError) {
    Error error;
    a.number(error.kind);
    a.text(error.message);
    return error;
  }
  require(index >= 0 && index <= 2, "the answer of the reading process holds no known form of problem");
  ProblemFile file;
  if (index == 1) file.problem.emplace<1>();
  if (index == 2) file.problem.emplace<2>();
  std::visit([&](auto& problem) { archive(a, problem), check(problem); }, file.problem);
  archive_rest(a, file);
  require(a.finished(), "the answer of the reading process is too long");
  for (const std::vector<double>* r : {&file.guess, &file.solution})
    require(r->empty() || static_cast<std::int64_t>(r->size()) == impulse_count(file),
            "the answer of the reading process has impulses of another problem");
  check_warm_start(file);
  return file;
}

std::string encode(const Expected<ProblemFile>& result) {
  ByteWriter a;
  if (!result) {
    a.number(kError);
    a.number(result.error().kind);
    a.text(result.error().message);
    return a.take();
  }
  a.number(static_cast<std::int64_t>(result->problem.index()));
  std::visit([&](const auto& problem) { archive(a, problem); }, result->problem);
  archive_rest(a, *result);
  return a.take();
}

}  // namespace cairn
