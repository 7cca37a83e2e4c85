// SPDX-License-Identifier: MIT
// STL, binary and as text. Which of the two is decided by size: 84 + 50 n bytes with n as declared is binary, whatever
// the header says.
#include <fmt/format.h>

#include "cairn/core/bytes.h"
#include "cairn/io/mesh_file.h"
#include "cairn/io/mesh_text.h"

namespace cairn {

namespace {

constexpr std::size_t kHead = 84, kTriangle = 50;

void add_triangle(MeshFile& mesh, const Vec3 (&corner)[3]) {
  const auto first = static_cast<std::int32_t>(mesh.vertices.size());
  mesh.vertices.insert(mesh.vertices.end(), corner, corner + 3);
  mesh.triangles.push_back({first, first + 1, first + 2});
}

std::uint32_t declared_count(std::string_view bytes) {
  ByteReader in(bytes.substr(80, 4));
  return in.get<std::uint32_t>();
}

bool is_binary(std::string_view bytes) {
  if (bytes.size() < kHead) return false;
  if (bytes.size() == kHead + kTriangle * std::size_t{declared_count(bytes)}) return true;
  return bytes.substr(0, 5) != "solid";
}

MeshFile read_binary(std::string_view bytes) {
  const std::size_t count = declared_count(bytes);
  if (count == 0) fail_input("a binary STL of 0 triangles");
  if (count > kMostMeshTriangles)
    fail_input(fmt::format("declares {} triangles, the limit is {}", count, kMostMeshTriangles), ErrorKind::limit);
  if (bytes.size() < kHead + kTriangle * count)
    fail_input(fmt::format("declares {} triangles, which take {} bytes, but has {}", count, kHead + kTriangle * count,
                           bytes.size()));
  MeshFile mesh;
  ByteReader in(bytes.substr(kHead));
  for (std::size_t k = 0; k < count; ++k) {
    in.raw(12);  // the normal follows from the corners
    Vec3 corner[3];
    for (Vec3& v : corner) {
      const float x = in.get<float>(), y = in.get<float>(), z = in.get<float>();
      v = {double{x}, double{y}, double{z}};
      check_mesh_vertex(v, fmt::format("triangle {}", k));
    }
    in.raw(2);
    add_triangle(mesh, corner);
  }
  if (bytes.size() > kHead + kTriangle * count)
    mesh.notes.push_back(
        fmt::format("{} bytes behind the last triangle were left out", bytes.size() - kHead - kTriangle * count));
  return mesh;
}

class StlText {
 public:
  explicit StlText(std::string_view text) : lines_(text, false) {}

  MeshFile read() {
    if (!lines_.next(words_) || words_[0] != "solid") lines_.fail("expected 'solid', or a binary STL");
    bool open = true;  // within a solid
    while (lines_.next(words_)) {
      if (open && words_[0] == "facet") {
        read_facet();
      } else if (open && words_[0] == "endsolid") {
        open = false;
      } else if (!open && words_[0] == "solid") {
        open = true;
      } else {
        lines_.fail(
            fmt::format("expected '{}', got '{}'", open ? "facet' or 'endsolid" : "solid", words_[0].substr(0, 40)));
      }
    }
    if (open) lines_.fail("the file ends without 'endsolid'");
    return std::move(mesh_);
  }

 private:
  void expect(std::string_view first, std::string_view second = {}) {
    const bool there = lines_.next(words_);
    if (!there || words_[0] != first || (!second.empty() && (words_.size() < 2 || words_[1] != second)))
      lines_.fail(fmt::format("expected '{}{}{}', got '{}'", first, second.empty() ? "" : " ", second,
                              there ? words_[0].substr(0, 40) : "the end of the file"));
  }
  void read_facet() {
    expect("outer", "loop");
    Vec3 corner[3];
    for (Vec3& v : corner) {
      expect("vertex");
      if (words_.size() != 4) lines_.fail(fmt::format("a vertex must have 3 numbers, got {}", words_.size() - 1));
      v = {lines_.number(words_[1]), lines_.number(words_[2]), lines_.number(words_[3])};
      check_mesh_vertex(v, fmt::format("line {}", lines_.line()));
    }
    expect("endloop");
    expect("endfacet");
    if (mesh_.triangles.size() >= kMostMeshTriangles)
      fail_input(fmt::format("line {}: more than {} triangles, which is the limit", lines_.line(), kMostMeshTriangles),
                 ErrorKind::limit);
    add_triangle(mesh_, corner);
  }

  MeshLines lines_;
  std::vector<std::string_view> words_;
  MeshFile mesh_;
};

}  // namespace

MeshFile parse_stl(std::string_view bytes) { return is_binary(bytes) ? read_binary(bytes) : StlText(bytes).read(); }

}  // namespace cairn
