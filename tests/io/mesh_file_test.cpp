// SPDX-License-Identifier: MIT
// Meshes from files: what is read, and what is refused, line by line.
#include "cairn/io/mesh_file.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "cairn/core/bytes.h"
#include "cairn/core/index.h"

namespace cairn {
namespace {

const ReadNeighbour kNoNeighbour = [](const std::string& path) -> Expected<std::string> {
  return Error{ErrorKind::io, "cannot read " + path};
};

std::string refusal(const std::string& bytes, const std::string& name) {
  const Expected<MeshFile> mesh = parse_mesh(bytes, name, kNoNeighbour);
  return mesh ? "" : mesh.error().message;
}
MeshFile accepted(const std::string& bytes, const std::string& name) {
  return parse_mesh(bytes, name, kNoNeighbour).value_or_throw();
}

const std::string kTriangle = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";

TEST(ObjFile, VerticesFacesAndAllFormsOfCorners) {
  const MeshFile mesh =
      accepted(kTriangle + "v 1 1 0 # behind\nvn 0 0 1\nvt 0 0\nf 1/1/1 2//1 4/1 3\nf -4 -3 -2", "a.obj");
  ASSERT_EQ(mesh.vertices.size(), 4u);
  ASSERT_EQ(mesh.triangles.size(), 3u);  // the square is a fan of two; the last line has no end
  EXPECT_EQ(mesh.triangles[1], (std::array<std::int32_t, 3>{0, 3, 2}));
  EXPECT_EQ(mesh.triangles[2], (std::array<std::int32_t, 3>{0, 1, 2}));
}

TEST(ObjFile, EndsOfLinesTabsMarksContinuationsAndColours) {
  EXPECT_EQ(accepted("\xef\xbb\xbfv\t0 0 0\r\nv 1 0 0\rv 0 1 \\\n0\nf 1 2 3\n", "a.OBJ").triangles.size(), 1u);
  EXPECT_EQ(accepted("v 0 0 0 1 0 0\nv 1 0 0 0 0 0\nv 0 1 0 1 1 1\nf 1 2 3", "a.obj").triangles.size(), 1u);
  EXPECT_EQ(accepted("f 1 2 3\n" + kTriangle, "a.obj").triangles.size(), 1u);  // faces may come first
  EXPECT_EQ(accepted(kTriangle + "l 1 2\np 1\nf 1 2 3", "a.obj").notes.size(), 1u);
  EXPECT_EQ(accepted("v 0." + std::string(10'000, '1') + " 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3", "a.obj").triangles.size(),
            1u);
}

TEST(ObjFile, RefusalsNameTheLine) {
  EXPECT_EQ(refusal("", "a.obj"), "a.obj: is empty (0 bytes)");
  EXPECT_EQ(refusal("v", "a.obj"),
            "a.obj: line 1: a vertex must have 3 numbers (4 with a weight, 6 or 7 with a colour), got 0");
  EXPECT_EQ(refusal(kTriangle, "a.obj"), "a.obj: has no triangles");
  for (const char* line : {"v nan inf 0", "v 1 2", "v 1 2 3 4 5", "v 1 2 3 4 5 6 7 8", "v 1,2,3", "v a b c",
                           "v 1e7 0 0", "v 1e400 0 0", "f 1// 2// 3//", "f 1/2/3/4 2 3", "f a/b 2 3", "f 1 2",
                           "f 0 1 2", "f -9 1 2", "f 1 2 3.5", "f 99999999999 1 2", "f 1/ 2 3"})
    EXPECT_EQ(refusal(kTriangle + line + "\nf 1 2 3\n", "a.obj").find("a.obj: line 4: "), 0u)
        << line << refusal(kTriangle + line, "a.obj");
  EXPECT_NE(refusal(kTriangle + "f 1 2 4\n", "a.obj").find("line 4: the face names vertex 4, but there are only 3"),
            std::string::npos);
  EXPECT_NE(refusal(kTriangle + std::string("f 1 2 \0 3", 9), "a.obj").find("NUL"), std::string::npos);
  EXPECT_NE(refusal("# " + std::string(kMostMeshLine, 'x'), "a.obj").find("the limit"), std::string::npos);
  std::string endless;
  for (int k = 0; k < 200'000; ++k) endless += "v 1 2 \\\n";
  EXPECT_NE(refusal(endless, "a.obj").find("the limit"), std::string::npos);
}

TEST(MeshFile, ContentOfAnotherKindIsNamed) {
  EXPECT_NE(refusal("\x89PNG\r\n\x1a\n", "a.stl").find("looks like a PNG picture"), std::string::npos);
  EXPECT_NE(refusal("\x1f\x8b\x08", "a.obj").find("looks like a gzip archive"), std::string::npos);
  EXPECT_NE(refusal("glTF....", "a.obj").find("looks like a binary glTF"), std::string::npos);
  EXPECT_NE(refusal("x", "a.ply").find(".obj, .stl, .gltf or .glb"), std::string::npos);
}

const std::string kFacet =
    "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n";

TEST(StlFile, TextAndBinary) {
  EXPECT_EQ(accepted("solid\n" + kFacet + "endsolid", "a.stl").triangles.size(), 1u);
  EXPECT_EQ(accepted("solid " + std::string(5000, 'n') + "\n" + kFacet + kFacet + "endsolid x\nsolid b\n" + kFacet +
                         "endsolid\n",
                     "a.stl")
                .triangles.size(),
            3u);
  MeshFile mesh = accepted(kTriangle + "f 1 2 3", "a.obj");
  std::string binary = to_stl(mesh);
  EXPECT_EQ(binary.size(), 84u + 50u);
  EXPECT_EQ(accepted(binary, "a.stl").vertices, mesh.vertices);
  binary.replace(0, 5, "solid");  // the size decides
  EXPECT_EQ(accepted(binary, "a.stl").vertices, mesh.vertices);
}

TEST(StlFile, Refusals) {
  std::string binary = to_stl(accepted(kTriangle + "f 1 2 3", "a.obj"));
  std::string none = binary.substr(0, 84);
  none[80] = 0;
  EXPECT_NE(refusal(none, "a.stl").find("0 triangles"), std::string::npos);
  std::string more = binary;
  more[80] = 9;
  EXPECT_NE(refusal(more, "a.stl").find("declares 9 triangles, which take 534 bytes, but has 134"), std::string::npos);
  more[83] = 0x7f;  // two thousand million: before anything is allocated
  EXPECT_NE(refusal(more, "a.stl").find("the limit"), std::string::npos);
  std::string wild = binary;
  for (int k = 0; k < 4; ++k) wild[to_index(84 + 12 + k)] = static_cast<char>(0x7f);  // NaN
  EXPECT_NE(refusal(wild, "a.stl").find("triangle 0: the vertex"), std::string::npos);
  EXPECT_NE(refusal("s", "a.stl"), "");
  const auto without = [](const std::string& line) {
    std::string text = "solid\n" + kFacet + "endsolid\n";
    return text.erase(text.find(line), line.size());
  };
  EXPECT_NE(refusal(without("endloop\n"), "a.stl").find("line 7: expected 'endloop'"), std::string::npos);
  EXPECT_NE(refusal(without("endsolid\n"), "a.stl").find("endsolid"), std::string::npos);
  EXPECT_NE(refusal(without("vertex 1 0 0\n"), "a.stl").find("line 6: expected 'vertex'"), std::string::npos);
  EXPECT_NE(refusal("solid\nfacet\nouter loop\nvertex 0 0 1e38\n", "a.stl").find("line 4: the vertex"),
            std::string::npos);
}

/// A triangle as glTF: positions, then indices, moved by (1, 2, 3) through its node.
std::string gltf_text(const std::string& uri, const std::string& count = "3") {
  return R"({"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}],
    "nodes": [{"mesh": 0, "translation": [1, 2, 3]}],
    "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}, {"attributes": {}, "mode": 0}]}],
    "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"},
                  {"bufferView": 1, "componentType": 5123, "count": )" +
         count + R"(, "type": "SCALAR"}],
    "bufferViews": [{"buffer": 0, "byteLength": 36}, {"buffer": 0, "byteOffset": 36, "byteLength": 6}],
    "buffers": [{"byteLength": 42)" +
         (uri.empty() ? "" : ", \"uri\": \"" + uri + "\"") + "}]}";
}
std::string gltf_buffer() {
  ByteWriter out;
  for (const float x : {0.f, 0.f, 0.f, 1.f, 0.f, 0.f, 0.f, 1.f, 0.f}) out.number(x);
  for (const std::uint16_t k : {0, 1, 2}) out.number(k);
  return out.take();
}
std::string glb(std::string json, const std::string& binary) {
  while (json.size() % 4 != 0) json += ' ';
  ByteWriter out;
  out.raw("glTF");
  out.number(std::uint32_t{2});
  out.number(static_cast<std::uint32_t>(12 + 8 + json.size() + 8 + binary.size()));
  out.number(static_cast<std::uint32_t>(json.size())), out.number(std::uint32_t{0x4e4f534a}), out.raw(json);
  out.number(static_cast<std::uint32_t>(binary.size())), out.number(std::uint32_t{0x004e4942}), out.raw(binary);
  return out.take();
}

TEST(GltfFile, BinaryDataAndFilesBesideIt) {
  const auto check = [](const MeshFile& mesh) {
    ASSERT_EQ(mesh.vertices.size(), 3u);
    EXPECT_EQ(mesh.vertices[1], (Vec3{2, 2, 3}));
    ASSERT_EQ(mesh.triangles.size(), 1u);
    EXPECT_EQ(mesh.notes.size(), 1u);  // the points
  };
  check(accepted(glb(gltf_text(""), gltf_buffer()), "a.glb"));
  check(accepted(
      gltf_text("data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAAAAABAAIA"),
      "a.gltf"));
  std::string asked;
  const ReadNeighbour neighbour = [&](const std::string& path) -> Expected<std::string> {
    return asked = path, gltf_buffer();
  };
  check(parse_mesh(gltf_text("part.bin"), "a.gltf", neighbour).value_or_throw());
  EXPECT_EQ(asked, "part.bin");
}

TEST(GltfFile, NothingDeclaredIsBelieved) {
  const auto of = [](const std::string& json) { return refusal(glb(json, gltf_buffer()), "a.glb"); };
  const auto changed = [](const std::string& from, const std::string& to) {
    std::string text = gltf_text("");
    return text.replace(text.find(from), from.size(), to);
  };
  EXPECT_NE(of(gltf_text("", "3000000000")).find("more than its view"), std::string::npos);
  EXPECT_NE(of(changed("\"byteLength\": 36", "\"byteLength\": 4000000000")).find("behind its buffer"),
            std::string::npos);
  EXPECT_NE(of(changed("\"byteLength\": 42", "\"byteLength\": 43")).find("declares 43 bytes, but has 42"),
            std::string::npos);
  EXPECT_NE(of(changed("\"nodes\": [0]", "\"nodes\": [7]")).find("nodes[7]"), std::string::npos);
  EXPECT_NE(of(changed("\"mesh\": 0,", "\"mesh\": 0, \"children\": [0],")).find("no tree"), std::string::npos);
  EXPECT_NE(of(changed("\"2.0\"", "\"1.0\"")).find("version 2"), std::string::npos);
  EXPECT_NE(of(changed("\"scene\": 0", "\"extensionsRequired\": [\"KHR_draco_mesh_compression\"], \"scene\": 0"))
                .find("extension"),
            std::string::npos);
  std::string index = gltf_buffer();
  index[38] = 9;
  EXPECT_NE(refusal(glb(gltf_text(""), index), "a.glb").find("index [1] is 9"), std::string::npos);
  EXPECT_NE(refusal(gltf_text("../x.bin"), "a.gltf").find("cannot read"), std::string::npos);
  EXPECT_NE(refusal(gltf_text("data:x;base64,*"), "a.gltf").find("base 64"), std::string::npos);
  EXPECT_NE(refusal("[]", "a.gltf"), "");
  const std::string good = glb(gltf_text(""), gltf_buffer());
  for (std::size_t length = 0; length < good.size(); ++length)
    EXPECT_NE(refusal(good.substr(0, length), "a.glb"), "") << length;
}

RC_GTEST_PROP(MeshFile, SpoiltFilesAreRefusedOrRead, ()) {
  const std::string whole[] = {glb(gltf_text(""), gltf_buffer()), to_stl(accepted(kTriangle + "f 1 2 3", "a.obj")),
                               "solid\n" + kFacet + "endsolid\n", kTriangle + "f 1 2 3\n"};
  const char* names[] = {"a.glb", "a.stl", "a.stl", "a.obj"};
  const auto kind = *rc::gen::inRange<std::size_t>(0, 4);
  std::string bytes = whole[kind];
  for (int k = 0; k < *rc::gen::inRange(1, 4); ++k)
    bytes[*rc::gen::inRange<std::size_t>(0, bytes.size())] = *rc::gen::arbitrary<char>();
  const Expected<MeshFile> mesh = parse_mesh(bytes, names[kind], kNoNeighbour);
  if (!mesh) return;
  for (const auto& t : mesh->triangles)
    for (const std::int32_t v : t) RC_ASSERT(v >= 0 && v < static_cast<std::int32_t>(mesh->vertices.size()));
}

TEST(MeshFile, ObjReadsBack) {
  const MeshFile mesh = accepted("v 0.1 0.2 0.3\nv 1e-3 0 0\nv 0 1 0\nf 1 2 3", "a.obj"),
                 again = accepted(to_obj(mesh), "b.obj");
  EXPECT_EQ(again.vertices, mesh.vertices);
  EXPECT_EQ(again.triangles, mesh.triangles);
}

}  // namespace
}  // namespace cairn
