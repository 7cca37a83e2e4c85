// SPDX-License-Identifier: MIT
// From a scene file to a world.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "cairn/broad/broad_phase.h"
#include "cairn/core/names.h"
#include "cairn/scenefile/scene_builder.h"

namespace cairn {

namespace {

std::string placed(const Place& place, const std::string& what) {
  return place.empty() ? what : fmt::format("{}: {}", place, what);
}

constexpr std::size_t kMostSuggested = 100;  // longest name that is suggested, in bytes
constexpr std::size_t kMostSuggestions = 5000;

/// Adds a name to those that a message may suggest. Long names and very many names are left out, because comparing them
/// takes time.
void suggest(const std::string& name, std::vector<std::string>& known) {
  if (known.size() < kMostSuggestions && name.size() <= kMostSuggested) known.push_back(name);
}

bool is_zero(const SymMat3& m) { return m == SymMat3{}; }

}  // namespace

void fail_at(const Place& place, const std::string& what, ErrorKind kind) { fail_input(placed(place, what), kind); }

void within(const Place& place, const std::function<void()>& work) {
  try {
    work();
  } catch (const InputError& error) {
    const std::string what = error.what();
    // A message that already names a place in this file stays as it is.
    const std::string file = place.substr(0, place.find(':')) + ":";
    if (!place.empty() && what.compare(0, file.size(), file) == 0) throw;
    fail_at(place, what, error.kind());
  }
}

void SceneBuilder::collect_materials() {
  for (const SceneMaterial& m : file_.materials) {
    within(m.place, [&] { check_material(m.material); });
    const auto [old, fresh] = materials_.emplace(m.name, &m);
    if (!fresh) fail_at(m.place, fmt::format("the name \"{}\" was already given at {}", m.name, old->second->place));
  }
}

const Material& SceneBuilder::material_of(const SceneShape& shape) const {
  static const Material kDefault;
  if (shape.material.empty()) return kDefault;
  const auto found = materials_.find(shape.material);
  if (found != materials_.end()) return found->second->material;
  std::vector<std::string> known;
  for (const auto& [name, material] : materials_) suggest(name, known);
  fail_at(shape.geometry.place, known.empty()
                                    ? fmt::format("there is no material \"{}\": the file has none", shape.material)
                                    : fmt::format("there is no material \"{}\"{}", shape.material,
                                                  did_you_mean(shape.material.substr(0, kMostSuggested), known, '"')));
}

ShapeDef SceneBuilder::make_shape(const SceneShape& shape) {
  ShapeDef def;
  within(shape.geometry.place, [&] {
    def.shape = geometry_.make(shape.geometry);
    def.pose = checked_pose(shape.pose, "the pose");
    def.material = material_of(shape);
    def.density = shape.density;
    def.layer = static_cast<std::uint32_t>(shape.layer), def.mask = static_cast<std::uint32_t>(shape.mask);
    check_shape_def(def);
  });
  return def;
}

namespace {

SymMat3 sum_of(const SymMat3& a, const SymMat3& b) {
  return {a.xx + b.xx, a.yy + b.yy, a.zz + b.zz, a.xy + b.xy, a.xz + b.xz, a.yz + b.yz};
}

/// Mass, centre and inertia of all shapes together, in the body's frame.
MassProperties mass_of(const std::vector<ShapeDef>& shapes) {
  MassProperties sum;
  std::vector<MassProperties> parts;
  for (const ShapeDef& shape : shapes) {
    if (shape.density == 0) continue;
    MassProperties m = mass_properties(shape.shape, shape.density);
    m.centre = transform(shape.pose, m.centre);
    m.inertia = rotate(to_matrix(shape.pose.orientation), m.inertia);
    sum.mass += m.mass;
    sum.centre += m.mass * m.centre;
    parts.push_back(m);
  }
  if (!(sum.mass > 0)) fail_input("a mass without inertia needs shapes with volume and density; give \"inertia\"");
  sum.centre = (1 / sum.mass) * sum.centre;
  for (const MassProperties& m : parts)
    sum.inertia = sum_of(sum.inertia, shifted_inertia(m.inertia, m.mass, m.centre - sum.centre));
  return sum;
}

}  // namespace

PreparedBody SceneBuilder::prepare(const SceneBody& body) {
  PreparedBody result;
  for (const SceneShape& shape : body.shapes) result.shapes.push_back(make_shape(shape));
  within(body.place, [&] {
    result.def = body.def;
    if (body.mass > 0 && is_zero(body.inertia)) {
      MassProperties mass = mass_of(result.shapes);
      mass.inertia = (body.mass / mass.mass) * mass.inertia;
      mass.mass = body.mass;
      result.def.mass = mass;
    } else if (body.mass > 0) {
      result.def.mass = MassProperties{body.mass, body.centre, body.inertia};
    }
    if (result.def.kind == BodyKind::dynamic && body.shapes.empty() && body.mass == 0)
      fail_input("a dynamic body without shapes needs \"mass\" and \"inertia\"");
  });
  result.colour = parse_colour(body.colour);
  if (result.colour == 0 && !body.shapes.empty() && !body.shapes[0].material.empty())
    result.colour = parse_colour(materials_.at(body.shapes[0].material)->colour);
  return result;
}

void SceneBuilder::add_body(const Place& place, const std::string& name, const PreparedBody& body) {
  if (bodies_.size() >= kMostSceneBodies)
    fail_at(place, fmt::format("the scene has more than {} bodies, which is the limit", kMostSceneBodies),
            ErrorKind::limit);
  within(place, [&] {
    const BodyId id = world_.add_body(body.def, body.shapes);
    bodies_.push_back(id);
    names_.push_back(name);
    colours_.push_back(body.colour);
    if (name.empty()) return;
    const auto [old, fresh] = by_name_.emplace(name, Named{id, place});
    if (!fresh)
      fail_input(fmt::format("the name \"{}\" was already given{}{}", name, old->second.place.empty() ? "" : " at ",
                             old->second.place));
  });
}

BodyId SceneBuilder::body_named(const std::string& name, const char* key, const Place& place) const {
  if (name.empty()) return {};
  const auto found = by_name_.find(name);
  if (found != by_name_.end()) return found->second.id;
  std::vector<std::string> known;
  for (const auto& [other, id] : by_name_) suggest(other, known);
  fail_at(place, known.empty() ? fmt::format("{}: there is no body \"{}\": no body has a name", key, name)
                               : fmt::format("{}: there is no body \"{}\"{}", key, name,
                                             did_you_mean(name.substr(0, kMostSuggested), known, '"')));
}

JointId SceneBuilder::add_joint(const SceneJoint& joint) {
  JointDef def = joint.def;
  def.body_a = body_named(joint.body_a, "a", joint.place);
  def.body_b = body_named(joint.body_b, "b", joint.place);
  def.carrier = body_named(joint.carrier, "carrier", joint.place);
  JointId id;
  within(joint.place, [&] {
    const auto pose_of = [&](BodyId body) { return body == BodyId{} ? Pose{} : world_.view(body).pose; };
    if (auto* gear = std::get_if<GearJoint>(&def.kind)) {
      // Each axle goes through the origin of its body, along the common axis.
      const Pose a = pose_of(def.body_a), b = pose_of(def.body_b);
      if (joint.at_point) {
        def.frame_a = inverse(a) * frame_along(a.position, joint.axis);
        def.frame_b = inverse(b) * frame_along(b.position, joint.axis);
      }
      *gear = make_gear(a * def.frame_a, b * def.frame_b, pose_of(def.carrier), joint.pitch_point);
    } else if (joint.at_point) {
      const JointDef there = world_.joint_at(def.body_a, def.body_b, frame_along(joint.point, joint.axis), def.kind);
      def.frame_a = there.frame_a, def.frame_b = there.frame_b;
    }
    id = world_.add_joint(def);
  });
  return id;
}

LoadedScene SceneBuilder::build() {
  collect_materials();
  for (const SceneBody& body : file_.bodies) add_body(body.place, body.name, prepare(body));
  for (const SceneGenerator& generator : file_.generators) generate(generator);
  std::vector<std::pair<std::string, JointId>> joints;
  std::map<std::string, Place> joint_names;
  for (const SceneJoint& joint : file_.joints) {
    if (!joint.name.empty()) {
      const auto [old, fresh] = joint_names.emplace(joint.name, joint.place);
      if (!fresh) fail_at(joint.place, fmt::format("the name \"{}\" was already given at {}", joint.name, old->second));
    }
    joints.emplace_back(joint.name, add_joint(joint));
  }
  for (const auto& [a, b] : file_.no_collision)
    within(file_.file, [&, &a = a, &b = b] {
      const BodyId first = body_named(a, "no_collision", file_.file);
      world_.set_collision(first, body_named(b, "no_collision", file_.file), false);
    });
  std::vector<std::string> notes = file_.notes;
  notes.insert(notes.end(), geometry_.notes().begin(), geometry_.notes().end());
  return {file_.name,
          file_.dt,
          static_cast<int>(file_.steps),
          file_.floor,
          std::move(world_),
          names_,
          colours_,
          joints,
          file_.cameras,
          std::move(notes)};
}

Expected<LoadedScene> build_scene(const SceneFile& file, const std::function<void(WorldSettings&)>& change) {
  try {
    WorldSettings settings = file.settings;
    if (change) change(settings);
    within(file.file, [&] {
      make_solver(settings.solver, settings.solver_settings);
      make_broad_phase(settings.broad_phase);
      check_settings(settings);
    });
    return SceneBuilder(file, settings).build();
  } catch (const InputError& error) {
    return Error{error.kind(), error.what()};
  }
}

}  // namespace cairn
