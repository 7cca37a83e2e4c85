// SPDX-License-Identifier: MIT
// Wavefront OBJ: vertices and faces; polygons become fans. Everything else is left out and counted where it has shape.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "cairn/io/mesh_file.h"
#include "cairn/io/mesh_text.h"

namespace cairn {

namespace {

using Words = std::vector<std::string_view>;

class ObjReader {
 public:
  explicit ObjReader(std::string_view text) : lines_(text, true) {}

  MeshFile read() {
    Words words;
    while (lines_.next(words)) {
      const auto comment =
          std::find_if(words.begin(), words.end(), [](std::string_view word) { return word.front() == '#'; });
      words.erase(comment, words.end());
      if (!words.empty()) read_line(words);
    }
    for (const auto& [line, index] : forward_)
      if (index >= static_cast<std::int64_t>(mesh_.vertices.size()))
        fail_input(fmt::format("line {}: the face names vertex {}, but there are only {}", line, index + 1,
                               mesh_.vertices.size()));
    if (ignored_ > 0) mesh_.notes.push_back(fmt::format("{} lines, points and curves were left out", ignored_));
    return std::move(mesh_);
  }

 private:
  void read_line(const Words& words) {
    const std::string_view what = words[0];
    if (what == "v") return read_vertex(words);
    if (what == "f" || what == "fo") return read_face(words);
    if (what == "l" || what == "p" || what == "curv" || what == "surf") ++ignored_;
    // normals, texture coordinates, groups, materials: nothing a body needs
  }

  /// x y z, with w or a colour behind it.
  void read_vertex(const Words& words) {
    const std::size_t count = words.size() - 1;
    if (count != 3 && count != 4 && count != 6 && count != 7)
      lines_.fail(fmt::format("a vertex must have 3 numbers (4 with a weight, 6 or 7 with a colour), got {}", count));
    double x[7];
    for (std::size_t k = 0; k < count; ++k) x[k] = lines_.number(words[k + 1]);
    check_mesh_vertex({x[0], x[1], x[2]}, fmt::format("line {}", lines_.line()));
    mesh_.vertices.push_back({x[0], x[1], x[2]});
  }

  std::int64_t whole(std::string_view word) const {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (word.empty() || error != std::errc{} || end != word.data() + word.size() || value == 0)
      lines_.fail(
          fmt::format("'{}' must be the number of a vertex, from 1 or counted back from -1", word.substr(0, 40)));
    return value;
  }

  /// v, v/t, v//n or v/t/n. Negative numbers count back from the last vertex so far.
  std::int32_t corner(std::string_view word) {
    std::string_view parts[3];
    std::size_t count = 0, begin = 0;
    for (;;) {
      const std::size_t slash = word.find('/', begin);
      if (count == 3) lines_.fail(fmt::format("'{}' has more than three parts", word.substr(0, 40)));
      parts[count++] = word.substr(begin, slash - begin);
      if (slash == std::string_view::npos) break;
      begin = slash + 1;
    }
    for (std::size_t k = 1; k < count; ++k)
      if (!(k == 1 && count == 3 && parts[1].empty())) whole(parts[k]);
    const std::int64_t given = whole(parts[0]);
    const auto known = static_cast<std::int64_t>(mesh_.vertices.size());
    const std::int64_t index = given > 0 ? given - 1 : known + given;
    if (index < 0 || index > 0x7ffffffe)
      lines_.fail(fmt::format("the face names vertex {}, but there are only {} so far", given, known));
    if (index >= known) forward_.emplace_back(lines_.line(), index);  // vertices may follow; looked at in the end
    return static_cast<std::int32_t>(index);
  }

  void read_face(const Words& words) {
    if (words.size() < 4) lines_.fail(fmt::format("a face must have 3 or more corners, got {}", words.size() - 1));
    const std::int32_t first = corner(words[1]);
    std::int32_t last = corner(words[2]);
    for (std::size_t k = 3; k < words.size(); ++k) {
      const std::int32_t next = corner(words[k]);
      if (mesh_.triangles.size() >= kMostMeshTriangles)
        fail_input(
            fmt::format("line {}: more than {} triangles, which is the limit", lines_.line(), kMostMeshTriangles),
            ErrorKind::limit);
      mesh_.triangles.push_back({first, last, next});
      last = next;
    }
  }

  MeshLines lines_;
  MeshFile mesh_;
  std::int64_t ignored_ = 0;
  std::vector<std::pair<int, std::int64_t>> forward_;  ///< line and vertex of faces before their vertices
};

}  // namespace

MeshFile parse_obj(std::string_view text) { return ObjReader(text).read(); }

}  // namespace cairn
