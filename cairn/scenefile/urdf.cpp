// SPDX-License-Identifier: MIT
#include "cairn/scenefile/urdf.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include "cairn/core/index.h"
#include "cairn/geometry/hull_builder.h"
#include "cairn/io/confined_file.h"
#include "cairn/io/mesh_file.h"
#include "cairn/io/xml_text.h"

namespace cairn {

namespace {

Quat from_rpy(double roll, double pitch, double yaw) {  // set-up only
  const auto half = [](const Vec3& axis, double angle) {
    return from_axis(axis, std::sin(0.5 * angle), std::cos(0.5 * angle));
  };
  return half({0, 0, 1}, yaw) * half({0, 1, 0}, pitch) * half({1, 0, 0}, roll);
}

Vec3 vector_of(const XmlElement& e, const char* attribute, const Vec3& fallback) {
  if (!e || !e.has(attribute)) return fallback;
  const std::vector<double> x = e.numbers(attribute, 3);
  return {x[0], x[1], x[2]};
}

Pose origin_of(const XmlElement& e) {
  const XmlElement origin = e.child("origin");
  const Vec3 rpy = vector_of(origin, "rpy", {});
  return {vector_of(origin, "xyz", {}), normalised(from_rpy(rpy.x, rpy.y, rpy.z))};
}

struct Link {
  XmlElement element;
  Pose pose;             ///< world, all joints at 0
  int joint = -1;        ///< joint to its parent; -1: it is the root
  int owner = -1;        ///< link whose body it belongs to; itself unless it was merged
  std::size_t body = 0;  ///< place in SceneFile::bodies, for links that own a body
};

struct Joint {
  XmlElement element;
  std::string type;
  std::size_t parent = 0, child = 0;
  Pose pose;  ///< world
};

class UrdfReader {
 public:
  UrdfReader(const XmlDocument& document, const std::string& folder, const UrdfSettings& settings)
      : robot_(document.root()), folder_(folder), settings_(settings) {}

  SceneFile read() {
    if (robot_.name() != "robot") robot_.fail("expected <robot>: this is no URDF");
    if (robot_.has("xmlns:xacro")) refuse_xacro(robot_);
    scene_.name = robot_.get("name");
    collect();
    hang();
    for (std::size_t k = 0; k < links_.size(); ++k) find_owner(k);
    for (std::size_t k = 0; k < links_.size(); ++k)
      if (links_[k].owner == static_cast<int>(k)) add_body(k);
    for (const Link& link : links_) add_shapes(link);
    for (std::size_t k = 0; k < links_.size(); ++k) check_inertial(k);
    for (const Joint& joint : joints_) add_joint(joint);
    if (!motors_.empty())
      note(fmt::format(
          "the limit effort of {} is the \"max_force\" of their drives; nothing drives them without --hold, "
          "--drive NAME=POSITION or the scene file; the limit velocity is not kept",
          fmt::join(motors_, ", ")));
    if (!scene_.mimics.empty())
      note(fmt::format("{} joints mimic others: --hold and --drive drive them along, nothing else couples them",
                       scene_.mimics.size()));
    return std::move(scene_);
  }

 private:
  [[noreturn]] static void refuse_xacro(const XmlElement& e) {
    e.fail("this is a xacro file: expand xacro first (xacro FILE > robot.urdf)");
  }
  void note(const std::string& text) { scene_.notes.push_back(text); }

  std::size_t link_named(const XmlElement& joint, const char* role) {
    const XmlElement e = joint.child(role);
    if (!e || e.get("link").empty()) joint.fail(fmt::format("<{} link=\"...\"> is missing", role));
    const auto found = by_name_.find(e.get("link"));
    if (found == by_name_.end()) e.fail(fmt::format("there is no link \"{}\"", e.get("link")));
    return found->second;
  }

  void collect() {
    std::map<std::string, std::string> joint_places;
    for (const XmlElement& e : robot_.children()) {
      const std::string kind = e.name(), name = e.get("name");
      if (kind.compare(0, 6, "xacro:") == 0) refuse_xacro(e);
      if (kind != "link" && kind != "joint") {
        if (kind == "material")
          colours_[name] = colour_in(e);
        else
          note(fmt::format("{}: <{}> was left out", e.place(), kind));
        continue;
      }
      if (name.empty()) e.fail("the attribute name is missing");
      if (kind == "link") {
        const auto [old, fresh] = by_name_.emplace(name, links_.size());
        if (!fresh) e.fail(fmt::format("there already is one at {}", links_[old->second].element.place()));
        links_.push_back({e, {}, -1, -1, 0});
      } else {
        const auto [old, fresh] = joint_places.emplace(name, e.place());
        if (!fresh) e.fail(fmt::format("there already is one at {}", old->second));
        joints_.push_back({e, e.get("type"), 0, 0, {}});
      }
    }
    if (links_.empty()) robot_.fail("it has no links");
  }

  /// Finds the tree: which link hangs from which, and where.
  void hang() {
    for (std::size_t k = 0; k < joints_.size(); ++k) {
      Joint& joint = joints_[k];
      joint.parent = link_named(joint.element, "parent"), joint.child = link_named(joint.element, "child");
      if (joint.parent == joint.child) joint.element.fail("parent and child are the same link");
      Link& child = links_[joint.child];
      if (child.joint >= 0)
        joint.element.fail(fmt::format("the link \"{}\" already hangs from joint \"{}\"", child.element.get("name"),
                                       joints_[to_index(child.joint)].element.get("name")));
      child.joint = static_cast<int>(k);
    }
    std::vector<std::size_t> order;
    for (std::size_t k = 0; k < links_.size(); ++k)
      if (links_[k].joint < 0) order.push_back(k);
    if (order.size() != 1)
      robot_.fail(order.empty()
                      ? "its joints go round in a circle: no link is the root"
                      : fmt::format("it has {} roots, \"{}\" and \"{}\" among them; join them", order.size(),
                                    links_[order[0]].element.get("name"), links_[order[1]].element.get("name")));
    std::vector<std::vector<std::size_t>> hanging(links_.size());  // joints by parent
    for (std::size_t k = 0; k < joints_.size(); ++k) hanging[joints_[k].parent].push_back(k);
    for (std::size_t at = 0; at < order.size(); ++at)
      for (const std::size_t k : hanging[order[at]]) {
        joints_[k].pose = links_[order[at]].pose * origin_of(joints_[k].element);
        links_[joints_[k].child].pose = joints_[k].pose;
        order.push_back(joints_[k].child);
      }
    if (order.size() != links_.size()) robot_.fail("its joints go round in a circle apart from the root");
    order_ = std::move(order);
  }

  /// Finds the body that a link belongs to. A link without mass that is fixed to another belongs to the body of that
  /// one.
  void find_owner(std::size_t k) {
    // Links come in the order of the tree, so the owner of the parent is known.
    const std::size_t link = order_[k];
    Link& here = links_[link];
    here.owner = static_cast<int>(link);
    if (here.joint < 0 || here.element.child("inertial")) return;
    const Joint& joint = joints_[to_index(here.joint)];
    if (joint.type == "fixed") here.owner = links_[joint.parent].owner;
  }

  void add_body(std::size_t k) {
    Link& link = links_[k];
    link.body = scene_.bodies.size();
    SceneBody body;
    body.name = link.element.get("name"), body.place = link.element.place() + ": link " + body.name;
    body.def.pose = link.pose;
    if (link.joint < 0 && settings_.fixed_base) body.def.kind = BodyKind::fixed;
    if (const XmlElement inertial = link.element.child("inertial")) read_inertial(inertial, body);
    scene_.bodies.push_back(std::move(body));
  }

  static void read_inertial(const XmlElement& e, SceneBody& body) {
    const XmlElement mass = e.child("mass"), inertia = e.child("inertia");
    if (!mass || !inertia) e.fail("<mass> and <inertia> must both be there");
    body.mass = mass.number("value");
    if (!(body.mass > 0)) mass.fail(fmt::format("value must be positive, got {}", body.mass));
    const Pose at = origin_of(e);
    body.centre = at.position;
    const SymMat3 given{inertia.number("ixx"), inertia.number("iyy"), inertia.number("izz"),
                        inertia.number("ixy"), inertia.number("ixz"), inertia.number("iyz")};
    body.inertia = rotate(to_matrix(at.orientation), given);
    try {
      if (body.def.kind == BodyKind::dynamic) check_mass({body.mass, body.centre, body.inertia});
    } catch (const InputError& error) {
      inertia.fail(error.what());
    }
  }

  void check_inertial(std::size_t k) {
    const Link& link = links_[k];
    if (link.owner != static_cast<int>(k)) return;
    SceneBody& body = scene_.bodies[link.body];
    if (body.def.kind != BodyKind::dynamic || body.mass > 0) return;
    if (settings_.assume_density == 0 || body.shapes.empty())
      link.element.fail("a link that moves must have <inertial>; --assume-density D takes it from its shapes");
    note(fmt::format("{}: link \"{}\" has no <inertial>: its mass is that of its shapes at {} kg/m^3",
                     link.element.place(), body.name, settings_.assume_density));
  }

  /// The colour <color rgba="..."/> of a material as "#rrggbbaa"; empty if it has none.
  static std::string colour_in(const XmlElement& material) {
    const XmlElement colour = material.child("color");
    if (!colour || !colour.has("rgba")) return {};
    std::string text = "#";
    for (const double x : colour.numbers("rgba", 4))
      text += fmt::format("{:02x}", static_cast<int>(std::lround(255 * std::clamp(x, 0.0, 1.0))));
    return text;
  }

  /// A body has the colour of the first visual that has one: the visual's own, or that of a material of the robot.
  void read_colour(const Link& link, SceneBody& body) {
    for (const XmlElement& visual : link.element.children("visual")) {
      const XmlElement material = visual.child("material");
      if (!material || !body.colour.empty()) continue;
      body.colour = colour_in(material);
      const auto found = colours_.find(material.get("name"));
      if (body.colour.empty() && found != colours_.end()) body.colour = found->second;
    }
  }

  void add_shapes(const Link& link) {
    const Link& owner = links_[to_index(link.owner)];
    SceneBody& body = scene_.bodies[owner.body];
    read_colour(link, body);
    for (const XmlElement& collision : link.element.children("collision")) {
      SceneShape shape;
      const XmlElement geometry = collision.child("geometry");
      const std::vector<XmlElement> forms = geometry ? geometry.children() : std::vector<XmlElement>{};
      if (forms.size() != 1) collision.fail("<geometry> must hold one of box, cylinder, sphere, capsule, mesh");
      shape.geometry.place = forms[0].place() + ": " + forms[0].name();
      read_geometry(forms[0], link, shape.geometry);
      shape.pose = inverse(owner.pose) * (link.pose * origin_of(collision));
      shape.pose.orientation = normalised(shape.pose.orientation);
      if (settings_.assume_density > 0) shape.density = settings_.assume_density;
      body.shapes.push_back(std::move(shape));
    }
  }

  static double size_of(const XmlElement& e, const char* attribute) {
    const double size = e.number(attribute);
    if (!(size >= kSmallestSize && size <= kLargestSize))
      e.fail(fmt::format("{} must be in [{:g}, {:g}] m, got {}", attribute, kSmallestSize, kLargestSize, size));
    return size;
  }

  void read_geometry(const XmlElement& e, const Link& link, SceneGeometry& g) {
    const std::string kind = e.name();
    if (kind == "box") {
      const Vec3 size = vector_of(e, "size", {});
      for (const double s : {size.x, size.y, size.z})
        if (!(s >= kSmallestSize && s <= kLargestSize)) e.fail("size must be three lengths of at least 1e-06 m");
      g.type = GeometryType::box, g.half = 0.5 * size;
    } else if (kind == "sphere") {
      g.type = GeometryType::sphere, g.radius = size_of(e, "radius");
    } else if (kind == "cylinder") {
      g.type = GeometryType::cylinder, g.radius = size_of(e, "radius"), g.half_height = 0.5 * size_of(e, "length");
    } else if (kind == "capsule") {
      g.type = GeometryType::capsule, g.radius = size_of(e, "radius"), g.half_length = 0.5 * size_of(e, "length");
    } else if (kind == "mesh") {
      read_mesh(e, link, g);
    } else {
      e.fail("expected one of box, cylinder, sphere, capsule, mesh");
    }
  }

  /// Opens a mesh. For package://NAME/PATH, the package root either holds the packages or is the package itself. If no
  /// root is given, it is the folder of the URDF.
  Expected<std::string> open_mesh(const XmlElement& e, const std::string& name) const {
    constexpr std::string_view kPackage = "package://";
    if (name.compare(0, kPackage.size(), kPackage) != 0) return read_confined(folder_, name);
    const std::string path = name.substr(kPackage.size());
    const bool given = !settings_.package_root.empty();
    const std::string root = given ? settings_.package_root : folder_.empty() ? "." : folder_;
    Expected<std::string> bytes = read_confined(root, path);
    if (bytes) return bytes;
    const std::string inner = path.substr(std::min(path.find('/'), path.size() - 1) + 1);
    if (Expected<std::string> own = read_confined(root, inner)) return own;
    e.fail(
        fmt::format("{}; \"{}\" was looked for at {}/{} and {}/{}: give --package-root DIR, the folder that holds {}",
                    bytes.error().message, name, root, path, root, inner, path));
  }

  /// Reads a mesh and keeps the points of its convex hull.
  void read_mesh(const XmlElement& e, const Link& link, SceneGeometry& g) {
    const std::string name = e.get("filename");
    const std::string who = fmt::format("link \"{}\": ", link.element.get("name"));
    const Vec3 scale = vector_of(e, "scale", {1, 1, 1});
    for (const double s : {scale.x, scale.y, scale.z})
      if (s == 0) e.fail(who + "scale must not be 0 along any axis");
    if (scale.x * scale.y * scale.z < 0) note(fmt::format("{}: the scale mirrors {}", e.place(), name));
    const Expected<std::string> bytes = open_mesh(e, name);
    if (!bytes) e.fail(who + bytes.error().message);
    const auto neighbour = [&](const std::string& path) {
      const std::size_t slash = name.rfind('/');
      return open_mesh(e, (slash == std::string::npos ? "" : name.substr(0, slash + 1)) + path);
    };
    const Expected<MeshFile> mesh = parse_mesh(*bytes, name, neighbour);
    if (!mesh) e.fail(who + mesh.error().message);
    std::vector<Vec3> points;
    for (const Vec3& v : mesh->vertices) points.push_back({scale.x * v.x, scale.y * v.y, scale.z * v.z});
    g.type = GeometryType::hull;
    try {
      const ConvexHull hull = make_hull(points);
      for (const Vec3& v : hull.data->vertices) g.points.insert(g.points.end(), {v.x, v.y, v.z});
    } catch (const InputError& error) {
      e.fail(fmt::format("{}{}: {}", who, name, error.what()));
    }
    note(fmt::format("{}: {} became its convex hull of {} vertices", e.place(), name, g.points.size() / 3));
  }

  /// Reads limits, damping and friction of the one free direction.
  JointAxis read_axis(const XmlElement& e, bool limited) {
    JointAxis axis;
    const XmlElement limit = e.child("limit"), dynamics = e.child("dynamics");
    if (limited && !limit) e.fail("a revolute or prismatic joint must have <limit>");
    if (limit) {
      if (limit.has("effort") && limit.number("effort") < 0) limit.fail("effort must not be negative");
      if (limit.has("velocity") && limit.number("velocity") < 0) limit.fail("velocity must not be negative");
      if (limit.has("effort") && limit.number("effort") > 0) axis.drive.max_force = limit.number("effort");
      if (limit.has("effort") || limit.has("velocity")) motors_.push_back(e.get("name"));
    }
    if (limited) {
      axis.motion = AxisMotion::limited;
      axis.lower = limit.has("lower") ? limit.number("lower") : 0;
      axis.upper = limit.has("upper") ? limit.number("upper") : 0;
      if (axis.lower > axis.upper)
        limit.fail(fmt::format("lower {} is above upper {}; exchange them", axis.lower, axis.upper));
    }
    if (dynamics && dynamics.has("friction")) axis.friction = dynamics.number("friction");
    const double damping = dynamics && dynamics.has("damping") ? dynamics.number("damping") : 0;
    if (axis.friction < 0 || damping < 0) dynamics.fail("friction and damping must not be negative");
    if (damping > 0) axis.drive.kind = DriveKind::position, axis.drive.damping = damping;
    return axis;
  }

  Vec3 direction_of(const XmlElement& e) {
    const Vec3 axis = vector_of(e.child("axis"), "xyz", {1, 0, 0});
    const double length = norm(axis);
    if (!(length > 1e-9)) e.fail("its axis must have a direction, got (0, 0, 0)");
    if (std::fabs(length - 1) > 1e-6) note(fmt::format("{}: the axis was brought to length 1", e.place()));
    return (1 / length) * axis;
  }

  void add_joint(const Joint& joint) {
    constexpr const char* kTypes[] = {"revolute", "continuous", "prismatic", "fixed", "floating", "planar"};
    const XmlElement& e = joint.element;
    if (std::find(std::begin(kTypes), std::end(kTypes), joint.type) == std::end(kTypes))
      e.fail(fmt::format("type must be one of {}, got \"{}\"", fmt::join(kTypes, ", "), joint.type));
    if (const XmlElement mimic = e.child("mimic")) {
      if (mimic.get("joint") == e.get("name"))
        mimic.fail("a joint cannot mimic itself: name the joint that it follows");
      scene_.mimics.push_back({e.get("name"), mimic.get("joint"),
                               mimic.has("multiplier") ? mimic.number("multiplier") : 1,
                               mimic.has("offset") ? mimic.number("offset") : 0});
    }
    if (joint.type == "floating") return note(fmt::format("{}: a floating joint holds nothing", e.place()));
    const std::size_t a = to_index(links_[joint.parent].owner);
    const std::size_t b = to_index(links_[joint.child].owner);
    if (a == b) return;  // merged
    SceneJoint out;
    out.place = e.place() + ": joint " + e.get("name"), out.name = e.get("name");
    out.body_a = links_[a].element.get("name"), out.body_b = links_[b].element.get("name");
    out.at_point = true;
    out.point = joint.pose.position;
    out.axis = rotate(joint.pose.orientation, direction_of(e));
    if (joint.type == "revolute" || joint.type == "continuous")
      out.def.kind = HingeJoint{read_axis(e, joint.type == "revolute")};
    else if (joint.type == "prismatic")
      out.def.kind = PrismaticJoint{read_axis(e, true)};
    else if (joint.type == "planar")
      out.def.kind = PlanarJoint{};
    else
      out.def.kind = FixedJoint{};
    scene_.joints.push_back(std::move(out));
  }

  XmlElement robot_;
  std::string folder_;
  UrdfSettings settings_;
  SceneFile scene_;
  std::vector<Link> links_;
  std::vector<Joint> joints_;
  std::vector<std::size_t> order_;  ///< links from the root on, parents first
  std::map<std::string, std::size_t> by_name_;
  std::vector<std::string> motors_;             ///< joints with limits of a motor
  std::map<std::string, std::string> colours_;  ///< of materials by name
};

}  // namespace

Expected<SceneFile> parse_urdf(const std::string& text, const std::string& file, const std::string& folder,
                               const UrdfSettings& settings) {
  try {
    const XmlDocument document(text, file);
    SceneFile scene = UrdfReader(document, folder, settings).read();
    scene.file = file, scene.folder = folder;
    if (scene.name.empty()) scene.name = std::filesystem::path(file).stem().string();
    return scene;
  } catch (const InputError& error) {
    return Error{error.kind(), error.what()};
  }
}

Expected<SceneFile> read_urdf(const std::string& path, const UrdfSettings& settings) {
  Expected<std::string> text = read_whole_file(path, kMostXmlBytes);
  if (!text) return text.error();
  return parse_urdf(*text, path, std::filesystem::path(path).parent_path().string(), settings);
}

}  // namespace cairn
