// SPDX-License-Identifier: MIT
// Bodies, shapes and materials as scene files have them.
#include <array>
#include <cmath>

#include "cairn/scenefile/scene_file.h"

namespace cairn {

namespace {

constexpr const char* kBodyKinds[] = {"dynamic", "fixed", "kinematic"};
constexpr const char* kLockNames[] = {"x", "y", "z", "turn_x", "turn_y", "turn_z"};
constexpr const char* kRuleNames[] = {"geometric_mean", "average", "minimum", "multiply", "maximum"};
constexpr const char* kGeometryNames[] = {"sphere",     "box",  "capsule",      "cylinder", "cone",
                                          "half_space", "hull", "height_field", "mesh",     "compound"};
constexpr std::size_t kSimpleGeometries = std::size(kGeometryNames) - 1;  ///< what a compound may hold
constexpr Range kSize{kSmallestSize, kLargestSize};
constexpr Range kCoordinate{-kLargestSize, kLargestSize};

void describe_file(Fields& f, SceneGeometry& g, const char* instead) {
  f.text("file", g.file, "OBJ, STL or glTF file in the folder of the scene");
  f.vector("scale", g.scale, 1e6, "factors along x, y, z of what is in the file; negative ones mirror");
  if (f.given("file") && f.given(instead)) f.refuse(instead, "leave this or \"file\" out: only one can be meant");
  if (!f.given("file") && !f.given(instead)) f.refuse("file", "give this, or the numbers themselves");
}

void describe_surface(Fields& f, SceneGeometry& g) {
  switch (g.type) {
    case GeometryType::hull:
      f.rows("points", g.points, 3, kCoordinate, false, "m, at least four, whose convex hull it is");
      f.whole("vertex_limit", g.vertex_limit, 4, 4096, "most vertices of the hull");
      return describe_file(f, g, "points");
    case GeometryType::height_field:
      f.whole("rows", g.rows, 2, 1'000'000, "grid points along y", Need::required);
      f.whole("columns", g.columns, 2, 1'000'000, "grid points along x", Need::required);
      f.number("spacing", g.spacing, kSize, "m between grid points", Need::required);
      return f.rows("heights", g.heights, 1, kCoordinate, false, "m, rows x columns of them, row by row",
                    Need::required);
    case GeometryType::mesh:
      f.rows("vertices", g.points, 3, kCoordinate, false, "m");
      f.rows("triangles", g.triangles, 3, {0, 2147483647}, true,
             "three indices into vertices each, counter-clockwise seen from outside");
      return describe_file(f, g, "vertices");
    default: return;
  }
}

void describe_half(Fields& f, Vec3& half) {
  double x[3] = {half.x, half.y, half.z};
  f.numbers("half", x, kSize, "m, half of the edge lengths", Need::required);
  half = {x[0], x[1], x[2]};
}

void describe_form(Fields& f, SceneGeometry& g) {
  switch (g.type) {
    case GeometryType::sphere: return f.number("radius", g.radius, kSize, "m", Need::required);
    case GeometryType::box: return describe_half(f, g.half);
    case GeometryType::capsule:
      f.number("radius", g.radius, kSize, "m", Need::required);
      return f.number("half_length", g.half_length, kSize, "m, from the origin to the centres of the caps, along z",
                      Need::required);
    case GeometryType::cylinder:
      f.number("radius", g.radius, kSize, "m", Need::required);
      return f.number("half_height", g.half_height, kSize, "m, along z", Need::required);
    case GeometryType::cone:
      f.number("radius", g.radius, kSize, "m, of the base", Need::required);
      return f.number("height", g.height, kSize, "m, along z; the origin is a quarter of it above the base",
                      Need::required);
    case GeometryType::half_space:
      f.vector("normal", g.normal, 1e6, "out of the solid, of any length");
      return f.number("offset", g.offset, kCoordinate, "m, distance of the plane from the origin along the normal");
    default: return describe_surface(f, g);
  }
}

void describe_child(Fields& f, SceneChild& child) {
  f.type("child");
  describe_geometry(f, child.geometry, false);
  describe_pose(f, child.pose);
}

void describe_shape(Fields& f, SceneShape& s) {
  f.type("shape");
  describe_geometry(f, s.geometry, true);
  describe_pose(f, s.pose);
  f.text("material", s.material, "name of one of the materials; without: friction 0.5, no bounce");
  f.number("density", s.density, {0, 1e9}, "kg/m^3; 0: adds no mass");
  f.whole("layer", s.layer, 0, 0xffffffff, "bits: the layers it is in");
  f.whole("mask", s.mask, 0, 0xffffffff, "bits: the layers it meets; both shapes must agree");
}

/// Describes a colour, and refuses a text that is none.
void describe_colour(Fields& f, std::string& colour, const char* help) {
  f.text("colour", colour, help);
  if (!f.given("colour")) return;
  try {
    parse_colour(colour);
  } catch (const InputError& error) {
    f.refuse("colour", error.what());
  }
}

}  // namespace

std::span<const char* const> geometry_names() { return kGeometryNames; }

void describe_geometry(Fields& f, SceneGeometry& g, bool may_be_compound) {
  f.place(g.place);
  int type = static_cast<int>(g.type);
  const std::span<const char* const> names(kGeometryNames,
                                           may_be_compound ? std::size(kGeometryNames) : kSimpleGeometries);
  f.variant(
      "type", type, names,
      [&](int k) {
        g.type = static_cast<GeometryType>(k);
        describe_form(f, g);
        if (g.type == GeometryType::compound)
          f.list("children", g.children, 1, kMostChildren, describe_child, "shapes at fixed places that move as one");
      },
      "what it is; z is the axis of everything that has one");
}

void describe_pose(Fields& f, Pose& pose) {
  f.vector("position", pose.position, kLargestPosition, "m");
  f.quaternion("orientation", pose.orientation, "unit quaternion w, x, y, z");
  Vec3 axis{0, 0, 1};
  double degrees = 0;
  f.object(
      "rotate",
      [&](Fields& r) {
        r.type("rotate");
        r.vector("axis", axis, 1e6, "of any length but 0");
        r.number("degrees", degrees, {-3600, 3600}, "counter-clockwise seen against the axis");
      },
      "instead of orientation: a turn about an axis");
  if (!f.given("rotate")) return;
  if (f.given("orientation")) f.refuse("rotate", "leave this or \"orientation\" out: only one can be meant");
  if (!(norm(axis) > 1e-9)) return f.refuse("rotate", "the axis must have a direction, got (0, 0, 0)");
  // Sines are used while a scene is read, never in a step. From here on the world keeps the quaternion.
  const double half = 0.5 * degrees * kPi / 180;
  pose.orientation = from_axis(normalised(axis), std::sin(half), std::cos(half));
}

std::uint32_t parse_colour(const std::string& text) {
  if (text.empty()) return 0;
  const bool sized = text.size() == 7 || text.size() == 9;
  if (!sized || text[0] != '#' || text.find_first_not_of("0123456789abcdefABCDEF", 1) != std::string::npos)
    fail_input("must be \"#rrggbb\" or \"#rrggbbaa\", two digits from 0 to f each, got \"" + text + "\"");
  std::uint32_t colour = text.size() == 7 ? 0xff000000u : 0;
  for (std::size_t k = 1; k < text.size(); k += 2)
    colour |= static_cast<std::uint32_t>(std::stoul(text.substr(k, 2), nullptr, 16)) << (4 * (k - 1));
  return colour;
}

void describe(Fields& f, SceneMaterial& m) {
  f.place(m.place);
  Material& x = m.material;
  f.text("name", m.name, "what shapes call it", Need::required);
  f.number("friction", x.friction, {0, 1e6}, "coefficient while sliding");
  f.number("static_friction", x.static_friction, {-1, 1e6}, "coefficient while sticking; negative: as friction");
  f.number("friction_across", x.friction_across, {-1, 1e6}, "coefficient across the grain; negative: as friction");
  f.vector("grain", x.grain, 1e6, "direction in the shape's axes along which friction holds");
  f.number("spin_radius", x.spin_radius, {0, 1e3}, "m, radius of the patch that resists drilling");
  f.number("rolling_radius", x.rolling_radius, {0, 1e3}, "m, resisting torque over normal force when rolling");
  f.number("restitution", x.restitution, {0, 1}, "Newton's");
  f.named("friction_rule", x.friction_rule, kRuleNames, "how the coefficients of two surfaces become one");
  f.named("restitution_rule", x.restitution_rule, kRuleNames, "the same for restitution");
  describe_colour(f, m.colour, "of bodies whose first shape is of this material");
}

void describe(Fields& f, SceneBody& b) {
  f.type("body");
  f.place(b.place);
  BodyDef& def = b.def;
  f.text("name", b.name, "what joints call it; each name once");
  f.named("kind", def.kind, kBodyKinds, "what moves it: forces, nothing, its own velocity");
  describe_pose(f, def.pose);
  f.vector("velocity", def.velocity.linear, kLargestSpeed, "m/s, of the centre of mass");
  f.vector("angular_velocity", def.velocity.angular, kLargestSpeed, "rad/s, world axes");
  f.number("mass", b.mass, {0, kLargestMass}, "kg; 0: from the shapes and their densities");
  f.vector("centre", b.centre, kLargestPosition, "m, centre of mass in the body's frame; only with mass and inertia");
  SymMat3& i = b.inertia;
  double inertia[6] = {i.xx, i.yy, i.zz, i.xy, i.xz, i.yz};
  f.numbers("inertia", inertia, {-1e30, 1e30},
            "kg m^2 about the centre of mass: xx, yy, zz, xy, xz, yz; without: that of the shapes for this mass");
  i = {inertia[0], inertia[1], inertia[2], inertia[3], inertia[4], inertia[5]};
  f.flag("repair_inertia", def.repair_inertia, "replace an inertia that no solid has by the nearest possible one");
  f.number("linear_damping", def.linear_damping, {0, 1e6}, "1/s");
  f.number("angular_damping", def.angular_damping, {0, 1e6}, "1/s");
  f.number("gravity_scale", def.gravity_scale, {-1e6, 1e6}, "factor on gravity");
  f.choices("locked_axes", def.locked_axes, kLockNames, "motions along world axes that it does not make");
  f.flag("may_sleep", def.may_sleep, "whether it may fall asleep");
  f.flag("continuous", def.continuous, "continuous collision: stops at its time of impact, however fast it is");
  f.list("shapes", b.shapes, 0, 100'000, describe_shape, "what it is made of");
  describe_colour(f, b.colour, "for the eye; without: that of the material, or one that tells it from others");
  if (f.given("inertia") && !f.given("mass")) f.refuse("inertia", "an inertia needs a \"mass\" beside it");
  if (f.given("centre") && !f.given("inertia")) f.refuse("centre", "a centre needs \"mass\" and \"inertia\" beside it");
}

}  // namespace cairn
