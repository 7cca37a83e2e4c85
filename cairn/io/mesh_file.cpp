// SPDX-License-Identifier: MIT
#include "cairn/io/mesh_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "cairn/core/bytes.h"
#include "cairn/core/index.h"

namespace cairn {

namespace {

constexpr double kLargestCoordinate = 1e6;  // m, as make_mesh

bool ends_with(std::string_view text, std::string_view end) {
  if (text.size() < end.size()) return false;
  return std::equal(end.begin(), end.end(), text.end() - static_cast<std::ptrdiff_t>(end.size()),
                    [](char a, char b) { return a == (b >= 'A' && b <= 'Z' ? static_cast<char>(b - 'A' + 'a') : b); });
}

/// What the first bytes say a file is; empty when they say nothing.
std::string_view look_of(std::string_view bytes) {
  struct Magic {
    std::string_view begin, name;
  };
  constexpr Magic kMagic[] = {
      {"\x89PNG", "a PNG picture"},
      {"\xff\xd8\xff", "a JPEG picture"},
      {"\x1f\x8b", "a gzip archive"},
      {"PK\x03\x04", "a zip archive"},
      {"%PDF", "a PDF document"},
      {"\x7f"
       "ELF",
       "a program"},
      {"\x89HDF", "an HDF5 file"},
      {"ply\n", "a PLY mesh"},
      {"<?xml", "an XML document"},
      {"glTF", "a binary glTF"},
      {"BZh", "a bzip2 archive"},
      {"<!DOCTYPE", "a web page"},
  };
  for (const Magic& magic : kMagic)
    if (bytes.substr(0, magic.begin.size()) == magic.begin) return magic.name;
  return {};
}

}  // namespace

void check_mesh_vertex(const Vec3& v, const std::string& where) {
  for (const double x : {v.x, v.y, v.z})
    if (!(std::fabs(x) <= kLargestCoordinate))
      fail_input(fmt::format("{}: the vertex ({}, {}, {}) must be finite and within {:g} m", where, v.x, v.y, v.z,
                             kLargestCoordinate));
}

Expected<MeshFile> parse_mesh(const std::string& bytes, const std::string& name, const ReadNeighbour& neighbour) {
  try {
    const bool obj = ends_with(name, ".obj"), stl = ends_with(name, ".stl");
    const bool glb = ends_with(name, ".glb"), gltf = ends_with(name, ".gltf");
    if (!obj && !stl && !glb && !gltf)
      fail_input("its name must end with .obj, .stl, .gltf or .glb", ErrorKind::unsupported);
    if (bytes.empty()) fail_input("is empty (0 bytes)");
    const std::string_view look = look_of(bytes);
    if (!look.empty() && !(glb && look == "a binary glTF")) fail_input(fmt::format("looks like {}", look));
    MeshFile mesh = obj ? parse_obj(bytes) : stl ? parse_stl(bytes) : parse_gltf(bytes, neighbour);
    if (mesh.triangles.empty()) fail_input("has no triangles");
    return mesh;
  } catch (const InputError& error) {
    return Error{error.kind(), fmt::format("{}: {}", name, error.what())};
  }
}

std::string to_obj(const MeshFile& mesh) {
  std::string text = "# Cairn\n";
  for (const Vec3& v : mesh.vertices) text += fmt::format("v {} {} {}\n", v.x, v.y, v.z);
  for (const auto& t : mesh.triangles) text += fmt::format("f {} {} {}\n", t[0] + 1, t[1] + 1, t[2] + 1);
  return text;
}

std::string to_stl(const MeshFile& mesh) {
  ByteWriter out;
  std::string head = "binary STL by Cairn";
  head.resize(80, ' ');
  out.raw(head);
  out.number(static_cast<std::uint32_t>(mesh.triangles.size()));
  for (const auto& t : mesh.triangles) {
    const auto corner = [&](std::size_t k) { return mesh.vertices[to_index(t[k])]; };
    const Vec3 area = cross(corner(1) - corner(0), corner(2) - corner(0));
    const Vec3 normal = norm(area) > 0 ? normalised(area) : Vec3{};
    for (const Vec3& v : {normal, corner(0), corner(1), corner(2)})
      for (const double x : {v.x, v.y, v.z}) out.number(static_cast<float>(x));
    out.number(std::uint16_t{0});
  }
  return out.take();
}

}  // namespace cairn
