// SPDX-License-Identifier: MIT
// glTF 2.0: the triangles of all meshes of the scene, placed by its nodes. Buffers are the binary part of a .glb, data
// inside the text, or files beside it. Axes are glTF's own (y up); turn the shape where z is to be up.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstring>

#include "cairn/core/bytes.h"
#include "cairn/core/index.h"
#include "cairn/io/json_text.h"
#include "cairn/io/mesh_file.h"
#include "cairn/math/pose.h"

namespace cairn {

namespace {

constexpr std::size_t kMostBuffer = std::size_t{1} << 30;
constexpr int kMostNodeDepth = 64;

/// A 4 x 4 matrix without its last row, by columns.
struct Affine {
  Vec3 x{1, 0, 0}, y{0, 1, 0}, z{0, 0, 1}, origin{};
};
Vec3 apply(const Affine& a, const Vec3& v) { return v.x * a.x + v.y * a.y + v.z * a.z + a.origin; }
Affine operator*(const Affine& a, const Affine& b) {
  const auto turn = [&](const Vec3& v) { return apply(a, v) - a.origin; };
  return {turn(b.x), turn(b.y), turn(b.z), apply(a, b.origin)};
}
double determinant(const Affine& a) { return dot(a.x, cross(a.y, a.z)); }

/// Base 64 as in data URIs; InputError for anything else.
std::string decode_base64(std::string_view text) {
  const auto digit = [](char c) -> int {
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
  };
  while (!text.empty() && text.back() == '=') text.remove_suffix(1);
  std::string bytes;
  std::uint32_t word = 0;
  int bits = 0;
  for (const char c : text) {
    const int d = digit(c);
    if (d < 0) fail_input("a data URI is not base 64");
    word = word << 6 | static_cast<std::uint32_t>(d);
    bits += 6;
    if (bits >= 8) bits -= 8, bytes += static_cast<char>(word >> bits & 0xff);
  }
  return bytes;
}

/// Where an accessor's elements are.
struct Elements {
  std::string_view bytes;  ///< from the first element on
  std::size_t count = 0, stride = 0;
  int component = 0;  ///< glTF's number of the type
};

class GltfReader {
 public:
  GltfReader(const JsonValue& json, std::string_view binary, const ReadNeighbour& neighbour)
      : json_(json), binary_(binary), neighbour_(neighbour) {}

  MeshFile read() {
    const JsonMember* asset = json_.find("asset");
    const JsonMember* version = asset != nullptr ? asset->value.find("version") : nullptr;
    if (version == nullptr || version->value.text.substr(0, 2) != "2.")
      fail_input("is no glTF of version 2: asset.version is missing or another");
    if (const JsonMember* used = json_.find("extensionsRequired"); used != nullptr && !used->value.items.empty())
      fail_input(fmt::format("needs the extension {}; export it without", used->value.items[0].text),
                 ErrorKind::unsupported);
    load_buffers();
    const JsonValue& nodes = list("nodes");
    if (nodes.items.empty()) {
      for (std::size_t k = 0; k < list("meshes").items.size(); ++k) add_mesh(k, {});
    } else {
      for (const std::size_t root : roots()) add_node(root, {}, 0);
    }
    if (skipped_ > 0) mesh_.notes.push_back(fmt::format("{} parts that are no triangles were left out", skipped_));
    return std::move(mesh_);
  }

 private:
  const JsonValue& list(const char* key) const {
    static const JsonValue kNone = json_array();
    const JsonMember* member = json_.find(key);
    if (member == nullptr) return kNone;
    if (member->value.kind != JsonKind::array) fail_input(fmt::format("{} must be an array", key));
    return member->value;
  }
  const JsonValue& element(const char* key, std::size_t index) const {
    const JsonValue& all = list(key);
    if (index >= all.items.size() || all.items[index].kind != JsonKind::object)
      fail_input(fmt::format("{}[{}] is named but is not there", key, index));
    return all.items[index];
  }
  static std::size_t whole(const JsonValue& value, const char* what) {
    if (value.kind != JsonKind::number || !(value.number >= 0 && value.number <= 4e9) ||
        value.number != std::floor(value.number))
      fail_input(fmt::format("{}:{}: {} must be a whole number", value.place.line, value.place.column, what));
    return static_cast<std::size_t>(value.number);
  }
  static std::size_t whole_of(const JsonValue& object, const char* key, std::size_t fallback) {
    const JsonMember* member = object.find(key);
    return member != nullptr ? whole(member->value, key) : fallback;
  }
  static std::size_t required(const JsonValue& object, const char* key) {
    const JsonMember* member = object.find(key);
    if (member == nullptr) fail_input(fmt::format("{}:{}: {} is missing", object.place.line, object.place.column, key));
    return whole(member->value, key);
  }

  void load_buffers() {
    const JsonValue& buffers = list("buffers");
    for (std::size_t k = 0; k < buffers.items.size(); ++k) {
      const std::size_t length = required(buffers.items[k], "byteLength");
      if (length > kMostBuffer)
        fail_input(fmt::format("buffers[{}] declares {} bytes, the limit is {}", k, length, kMostBuffer),
                   ErrorKind::limit);
      const JsonMember* uri = buffers.items[k].find("uri");
      std::string bytes;
      if (uri == nullptr) {
        if (k != 0 || binary_.empty()) fail_input(fmt::format("buffers[{}] has neither uri nor binary part", k));
        bytes = binary_;
      } else if (uri->value.text.substr(0, 5) == "data:") {
        const std::size_t comma = uri->value.text.find(";base64,");
        if (comma == std::string::npos) fail_input(fmt::format("buffers[{}]: its data URI is not base 64", k));
        bytes = decode_base64(std::string_view(uri->value.text).substr(comma + 8));
      } else {
        bytes = neighbour_(uri->value.text).value_or_throw();
      }
      if (bytes.size() < length)
        fail_input(fmt::format("buffers[{}] declares {} bytes, but has {}", k, length, bytes.size()));
      buffers_.push_back(std::move(bytes));
    }
  }

  std::vector<std::size_t> roots() const {
    std::vector<std::size_t> result;
    const JsonValue& scenes = list("scenes");
    if (scenes.items.empty()) {
      std::vector<bool> is_child(list("nodes").items.size());
      for (const JsonValue& node : list("nodes").items)
        if (const JsonMember* children = node.find("children"))
          for (const JsonValue& child : children->value.items)
            if (const std::size_t k = whole(child, "child"); k < is_child.size()) is_child[k] = true;
      for (std::size_t k = 0; k < is_child.size(); ++k)
        if (!is_child[k]) result.push_back(k);
      return result;
    }
    const JsonValue& scene = element("scenes", whole_of(json_, "scene", 0));
    if (const JsonMember* nodes = scene.find("nodes"))
      for (const JsonValue& node : nodes->value.items) result.push_back(whole(node, "node"));
    return result;
  }

  template <std::size_t N>
  static bool numbers(const JsonValue& node, const char* key, std::array<double, N>& x) {
    const JsonMember* member = node.find(key);
    if (member == nullptr) return false;
    if (member->value.items.size() != N) fail_input(fmt::format("node: {} must have {} numbers", key, N));
    for (std::size_t k = 0; k < N; ++k) x[k] = member->value.items[k].number;
    return true;
  }

  static Affine transform_of(const JsonValue& node) {
    std::array<double, 16> m;
    if (numbers(node, "matrix", m))
      return {{m[0], m[1], m[2]}, {m[4], m[5], m[6]}, {m[8], m[9], m[10]}, {m[12], m[13], m[14]}};
    std::array<double, 3> t{0, 0, 0}, s{1, 1, 1};
    std::array<double, 4> r{0, 0, 0, 1};
    numbers(node, "translation", t), numbers(node, "scale", s), numbers(node, "rotation", r);
    Quat q{r[3], r[0], r[1], r[2]};
    if (!(norm2(q) > 0.8 && norm2(q) < 1.2)) fail_input("node: rotation must be a unit quaternion");
    q = normalised(q);
    return {s[0] * rotate(q, {1, 0, 0}), s[1] * rotate(q, {0, 1, 0}), s[2] * rotate(q, {0, 0, 1}), {t[0], t[1], t[2]}};
  }

  void add_node(std::size_t index, const Affine& parent, int depth) {
    if (depth > kMostNodeDepth || ++visited_ > list("nodes").items.size())
      fail_input(fmt::format("nodes[{}]: the nodes are no tree, or deeper than {}", index, kMostNodeDepth));
    const JsonValue& node = element("nodes", index);
    const Affine here = parent * transform_of(node);
    if (const JsonMember* mesh = node.find("mesh")) add_mesh(whole(mesh->value, "mesh"), here);
    if (const JsonMember* children = node.find("children"))
      for (const JsonValue& child : children->value.items) add_node(whole(child, "child"), here, depth + 1);
  }

  void add_mesh(std::size_t index, const Affine& at) {
    const JsonMember* primitives = element("meshes", index).find("primitives");
    if (primitives == nullptr) fail_input(fmt::format("meshes[{}] has no primitives", index));
    for (const JsonValue& primitive : primitives->value.items) {
      constexpr std::size_t kTriangles = 4;
      if (whole_of(primitive, "mode", kTriangles) != kTriangles)
        ++skipped_;
      else
        add_triangles(primitive, at);
    }
  }

  Elements elements(std::size_t index, std::string_view type, std::size_t components) const {
    const JsonValue& a = element("accessors", index);
    const JsonMember* kind = a.find("type");
    if (kind == nullptr || kind->value.text != type)
      fail_input(fmt::format("accessors[{}] must be of {}", index, type));
    if (a.find("sparse") != nullptr || a.find("bufferView") == nullptr)
      fail_input(fmt::format("accessors[{}] is sparse or has no data; export it plain", index), ErrorKind::unsupported);
    Elements e;
    e.count = required(a, "count");
    e.component = static_cast<int>(required(a, "componentType"));
    const std::size_t width = e.component == 5121 ? 1 : e.component == 5123 ? 2 : 4;
    const JsonValue& view = element("bufferViews", required(a, "bufferView"));
    const std::size_t buffer = required(view, "buffer");
    if (buffer >= buffers_.size()) fail_input(fmt::format("buffers[{}] is named but is not there", buffer));
    const std::size_t length = required(view, "byteLength"), offset = whole_of(view, "byteOffset", 0);
    const std::string_view bytes = buffers_[buffer];
    if (offset > bytes.size() || length > bytes.size() - offset)
      fail_input(fmt::format("accessors[{}]: its view ends behind its buffer of {} bytes", index, bytes.size()));
    e.stride = whole_of(view, "byteStride", width * components);
    if (e.stride < width * components || e.stride > 65536)
      fail_input(fmt::format("accessors[{}]: a stride of {} bytes", index, e.stride));
    const std::size_t start = whole_of(a, "byteOffset", 0);
    // All below 2^32, so nothing overflows 64 bits.
    if (e.count > 0 && start + (e.count - 1) * e.stride + width * components > length)
      fail_input(fmt::format("accessors[{}] declares {} elements, more than its view of {} bytes holds", index, e.count,
                             length));
    e.bytes = bytes.substr(offset + std::min(start, length));
    return e;
  }

  std::vector<std::uint32_t> indices(const JsonValue& primitive, std::size_t vertices) const {
    std::vector<std::uint32_t> result;
    const JsonMember* member = primitive.find("indices");
    if (member == nullptr) {
      for (std::size_t k = 0; k < vertices; ++k) result.push_back(static_cast<std::uint32_t>(k));
      return result;
    }
    const Elements e = elements(whole(member->value, "indices"), "SCALAR", 1);
    for (std::size_t k = 0; k < e.count; ++k) {
      ByteReader in(e.bytes.substr(k * e.stride));
      const std::uint32_t index = e.component == 5121   ? in.get<std::uint8_t>()
                                  : e.component == 5123 ? in.get<std::uint16_t>()
                                                        : in.get<std::uint32_t>();
      if (index >= vertices) fail_input(fmt::format("index [{}] is {}, but there are {} vertices", k, index, vertices));
      result.push_back(index);
    }
    return result;
  }

  void add_triangles(const JsonValue& primitive, const Affine& at) {
    const JsonMember* attributes = primitive.find("attributes");
    const JsonMember* position = attributes != nullptr ? attributes->value.find("POSITION") : nullptr;
    if (position == nullptr) fail_input("a primitive has no POSITION");
    const Elements e = elements(whole(position->value, "POSITION"), "VEC3", 3);
    if (e.component != 5126) fail_input("POSITION must hold floats");
    const auto first = static_cast<std::int32_t>(mesh_.vertices.size());
    const std::vector<std::uint32_t> corner = indices(primitive, e.count);
    if (mesh_.triangles.size() + corner.size() / 3 > kMostMeshTriangles ||
        mesh_.vertices.size() + e.count > 3 * kMostMeshTriangles)
      fail_input(fmt::format("more than {} triangles, which is the limit", kMostMeshTriangles), ErrorKind::limit);
    if (corner.size() % 3 != 0) fail_input(fmt::format("{} corners do not make triangles", corner.size()));
    for (std::size_t k = 0; k < e.count; ++k) {
      ByteReader in(e.bytes.substr(k * e.stride));
      const float x = in.get<float>(), y = in.get<float>(), z = in.get<float>();
      const Vec3 vertex = apply(at, {double{x}, double{y}, double{z}});
      check_mesh_vertex(vertex, fmt::format("POSITION [{}]", k));
      mesh_.vertices.push_back(vertex);
    }
    const bool mirrored = determinant(at) < 0;
    for (std::size_t k = 0; k + 3 <= corner.size(); k += 3) {
      std::array<std::int32_t, 3> t;
      for (std::size_t j = 0; j < 3; ++j) t[j] = first + static_cast<std::int32_t>(corner[k + j]);
      if (mirrored) std::swap(t[1], t[2]);
      mesh_.triangles.push_back(t);
    }
  }

  const JsonValue& json_;
  std::string_view binary_;
  const ReadNeighbour& neighbour_;
  std::vector<std::string> buffers_;
  std::size_t visited_ = 0, skipped_ = 0;
  MeshFile mesh_;
};

/// The two parts of a .glb: header, JSON chunk, binary chunk.
struct GlbParts {
  std::string_view json, binary;
};

GlbParts split_glb(std::string_view bytes) {
  ByteReader in(bytes);
  in.raw(4);
  const auto version = in.get<std::uint32_t>(), length = in.get<std::uint32_t>();
  if (version != 2) fail_input(fmt::format("is a binary glTF of version {}, only 2 is read", version));
  if (length != bytes.size()) fail_input(fmt::format("says that it has {} bytes, but has {}", length, bytes.size()));
  GlbParts parts;
  while (!in.finished()) {
    const auto size = in.get<std::uint32_t>(), type = in.get<std::uint32_t>();
    const std::string_view content = in.raw(size);
    if (type == 0x4e4f534a && parts.json.empty()) parts.json = content;
    if (type == 0x004e4942 && parts.binary.empty()) parts.binary = content;
  }
  return parts;
}

}  // namespace

MeshFile parse_gltf(std::string_view bytes, const ReadNeighbour& neighbour) {
  GlbParts parts{bytes, {}};
  if (bytes.substr(0, 4) == "glTF") parts = split_glb(bytes);
  const JsonValue json = parse_json(parts.json);
  if (json.kind != JsonKind::object) fail_input("is no glTF: expected an object");
  return GltfReader(json, parts.binary, neighbour).read();
}

}  // namespace cairn
