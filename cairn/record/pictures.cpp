// SPDX-License-Identifier: MIT
#include "cairn/record/pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "cairn/core/index.h"

namespace cairn {

BodyPictures::BodyPictures(const World& world, const TessellationSettings& settings) {
  for (const BodyId body : world.bodies()) {
    parts.emplace_back(), surfaces.emplace_back();
    for (const ShapeId shape : world.shapes_of(body)) {
      const ShapeDef& def = world.shape_def(shape);
      parts.back().push_back({def.shape, def.pose});
      append(surfaces.back(), tessellate(def.shape, settings), def.pose);
    }
    moves.push_back(world.view(body).kind != BodyKind::fixed);
  }
}

void BodyPictures::add(const Shape& shape, const TessellationSettings& settings) {
  parts.push_back({{shape, {}}});
  surfaces.push_back(tessellate(shape, settings));
  moves.push_back(true);
}

std::string to_vtp(const BodyPictures& bodies, const MotionFrame& frame) {
  std::string points, corners, ends, owner, speed, awake;
  auto at = std::back_inserter(points);
  std::size_t vertices = 0, triangles = 0;
  for (std::size_t b = 0; b < frame.pose.size(); ++b) {
    if (!is_finite(frame.pose[b])) continue;
    const Tessellation& surface = bodies.surfaces[b];
    for (const Vec3& v : surface.vertices) {
      const Vec3 p = transform(frame.pose[b], v);
      fmt::format_to(at, "{:.9g} {:.9g} {:.9g}\n", p.x, p.y, p.z);
    }
    for (const auto& t : surface.triangles) {
      const auto corner = [&](std::size_t k) { return to_index(t[k]) + vertices; };
      fmt::format_to(std::back_inserter(corners), "{} {} {}\n", corner(0), corner(1), corner(2));
      fmt::format_to(std::back_inserter(ends), "{}\n", 3 * ++triangles);
      fmt::format_to(std::back_inserter(owner), "{}\n", b);
      fmt::format_to(std::back_inserter(speed), "{:.6g}\n", norm(frame.velocity[b].linear));
      fmt::format_to(std::back_inserter(awake), "{}\n", frame.awake[b]);
    }
    vertices += surface.vertices.size();
  }
  const auto array = [](const char* type, const char* name, const std::string& text, int components = 1) {
    return fmt::format(
        "<DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\" format=\"ascii\">\n{}</DataArray>\n", type, name,
        components, text);
  };
  return fmt::format(
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"0.1\" byte_order=\"LittleEndian\">\n<PolyData>\n"
      "<Piece NumberOfPoints=\"{}\" NumberOfVerts=\"0\" NumberOfLines=\"0\" NumberOfStrips=\"0\" "
      "NumberOfPolys=\"{}\">\n"
      "<Points>\n{}</Points>\n<Polys>\n{}{}</Polys>\n<CellData>\n{}{}{}</CellData>\n</Piece>\n</PolyData>\n</"
      "VTKFile>\n",
      vertices, triangles, array("Float64", "Points", points, 3), array("Int64", "connectivity", corners),
      array("Int64", "offsets", ends), array("Int64", "body", owner), array("Float64", "speed", speed),
      array("UInt8", "awake", awake));
}

std::string to_pvd(const std::vector<std::pair<std::string, double>>& files) {
  std::string text = "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\">\n<Collection>\n";
  for (const auto& [file, time] : files) text += fmt::format("<DataSet timestep=\"{}\" file=\"{}\"/>\n", time, file);
  return text + "</Collection>\n</VTKFile>\n";
}

PictureCamera camera_for(const BodyPictures& bodies, const MotionFrame& frame) {
  Aabb box{{1e30, 1e30, 1e30}, {-1e30, -1e30, -1e30}};
  for (std::size_t b = 0; b < frame.pose.size(); ++b)
    if (bodies.moves[b])
      for (const Vec3& v : bodies.surfaces[b].vertices) box = unite(box, transform(frame.pose[b], v));
  PictureCamera camera;
  if (!(box.upper.x >= box.lower.x) || !is_finite(box.lower) || !is_finite(box.upper)) return camera;
  camera.target = centre(box);
  // A ball of the box's radius fills the picture: distance = radius / sin(half of the view), and some air.
  const double radius = std::max(0.5 * norm(box.upper - box.lower), 0.1);
  const double distance = 1.1 * radius / std::sin(0.5 * camera.field_of_view * kPi / 180);
  camera.position = camera.target + distance * normalised(Vec3{0.6, -1, 0.45});
  return camera;
}

namespace {

std::string text(const Vec3& v) { return fmt::format("<{:.9g},{:.9g},{:.9g}>", v.x, v.y, v.z); }

/// POV-Ray's primitives where it has them, else the triangles.
struct PovShape {
  std::string operator()(const Sphere& s) const { return fmt::format("sphere{{<0,0,0>,{:.9g}", s.radius); }
  std::string operator()(const Box& s) const { return fmt::format("box{{{},{}", text(-s.half), text(s.half)); }
  std::string operator()(const Cylinder& s) const {
    return fmt::format("cylinder{{<0,0,{:.9g}>,<0,0,{:.9g}>,{:.9g}", -s.half_height, s.half_height, s.radius);
  }
  std::string operator()(const Cone& s) const {
    return fmt::format("cone{{<0,0,{:.9g}>,{:.9g},<0,0,{:.9g}>,0", base_z(s), s.radius, apex_z(s));
  }
  std::string operator()(const Capsule& s) const {
    return fmt::format("sphere_sweep{{linear_spline 2,<0,0,{:.9g}>,{:.9g},<0,0,{:.9g}>,{:.9g}", -s.half_length,
                       s.radius, s.half_length, s.radius);
  }
  std::string operator()(const HalfSpace& s) const { return fmt::format("plane{{{},{:.9g}", text(s.normal), s.offset); }
  template <class Other>
  std::string operator()(const Other& s) const {
    const Tessellation surface = tessellate(Shape(s));
    std::string out = fmt::format("mesh2{{vertex_vectors{{{}", surface.vertices.size());
    for (const Vec3& v : surface.vertices) fmt::format_to(std::back_inserter(out), ",{}", text(v));
    out += fmt::format("}} face_indices{{{}", surface.triangles.size());
    for (const auto& t : surface.triangles) fmt::format_to(std::back_inserter(out), ",<{},{},{}>", t[0], t[1], t[2]);
    return out + "}";
  }
};

/// As a matrix: POV-Ray multiplies rows.
std::string pov_matrix(const Pose& pose) {
  const Vec3 x = rotate(pose.orientation, {1, 0, 0}), y = rotate(pose.orientation, {0, 1, 0}),
             z = rotate(pose.orientation, {0, 0, 1});
  const Vec3& p = pose.position;
  return fmt::format("matrix<{:.9g},{:.9g},{:.9g},{:.9g},{:.9g},{:.9g},{:.9g},{:.9g},{:.9g},{:.9g},{:.9g},{:.9g}>", x.x,
                     x.y, x.z, y.x, y.y, y.z, z.x, z.y, z.z, p.x, p.y, p.z);
}

/// Colours that lie far apart for neighbours: hues by the golden ratio.
std::string pov_colour(std::size_t body, bool moves) {
  if (!moves) return "rgb<0.62,0.62,0.6>";
  const double hue = 6 * std::fmod(0.618033988749895 * static_cast<double>(body), 1.0);
  const auto channel = [&](double shift) {
    const double x = std::fabs(std::fmod(hue + shift, 6.0) - 3) - 1;
    return 0.3 + 0.55 * std::clamp(x, 0.0, 1.0);
  };
  return fmt::format("rgb<{:.3f},{:.3f},{:.3f}>", channel(0), channel(4), channel(2));
}

}  // namespace

std::string to_pov(const BodyPictures& bodies, const MotionFrame& frame, const PictureCamera& camera) {
  // Right-handed with z up: the right vector points the other way than POV-Ray's own. Its angle is the horizontal one.
  std::string out = fmt::format(
      "#version 3.7;\nglobal_settings{{assumed_gamma 1.0}}\nbackground{{rgb<0.9,0.94,1>}}\n"
      "camera{{location {} up z sky {} right -x*image_width/image_height angle "
      "2*degrees(atan2(tan(radians({:.6g}/2))*image_width/image_height,1)) look_at "
      "{}}}\n",
      text(camera.position), text(camera.up), camera.field_of_view, text(camera.target));
  out += fmt::format("light_source{{{} rgb 1.1}}\nlight_source{{{} rgb 0.35 shadowless}}\n",
                     text(camera.target + Vec3{30, -50, 80}), text(camera.position));
  for (std::size_t b = 0; b < frame.pose.size(); ++b) {
    if (!is_finite(frame.pose[b])) continue;
    for (const BodyPictures::Part& part : bodies.parts[b])
      out +=
          fmt::format("{} pigment{{{}}} finish{{diffuse 0.8 ambient 0.1}} {}}}\n", std::visit(PovShape{}, part.shape),
                      pov_colour(b, bodies.moves[b]), pov_matrix(frame.pose[b] * part.pose));
  }
  return out;
}

}  // namespace cairn
