// SPDX-License-Identifier: MIT
// Meshes from files of other programs: OBJ, STL (text and binary), glTF (.gltf and .glb). Triangles only; colours,
// textures and materials are not looked at.
//
// Files come from strangers: nothing declared is believed before it was compared with the bytes that are there, numbers
// must be finite and within 1e6 m, and errors name the line or the part of the file. Nothing is cleaned here: make_mesh
// drops and counts bad triangles.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cairn/core/errors.h"
#include "cairn/math/vec3.h"

namespace cairn {

inline constexpr std::size_t kMostMeshTriangles = 20'000'000;
inline constexpr std::size_t kMostMeshLine = std::size_t{1} << 20;  ///< bytes

struct MeshFile {
  std::vector<Vec3> vertices;
  std::vector<std::array<std::int32_t, 3>> triangles;
  std::vector<std::string> notes;  ///< what was left out: one sentence each
};

/// Reads a file that a mesh file names, relative to it: glTF buffers.
using ReadNeighbour = std::function<Expected<std::string>(const std::string& path)>;

/// The format is decided by the end of `name`; content that looks like another one is refused with what it looks like.
Expected<MeshFile> parse_mesh(const std::string& bytes, const std::string& name, const ReadNeighbour& neighbour);

/// InputError "line N: ..." each.
MeshFile parse_obj(std::string_view text);
MeshFile parse_stl(std::string_view bytes);
/// `text`: a .gltf; or the bytes of a .glb.
MeshFile parse_gltf(std::string_view bytes, const ReadNeighbour& neighbour);

/// As text; vertices in the order given.
std::string to_obj(const MeshFile& mesh);
std::string to_stl(const MeshFile& mesh);  ///< binary, single precision

/// Throws InputError for a vertex that is not finite or beyond 1e6 m.
void check_mesh_vertex(const Vec3& vertex, const std::string& where);

}  // namespace cairn
