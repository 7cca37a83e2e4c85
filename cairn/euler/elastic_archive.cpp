// SPDX-License-Identifier: MIT
// Snapshots of an ElasticWorld. One function per type both writes and reads. Distances, masses, forces and measures
// follow from the fields: they are not written, and reading makes them anew by the stages of a step.
#include <cmath>
#include <cstring>

#include "cairn/core/bytes.h"
#include "cairn/core/errors.h"
#include "cairn/euler/elastic_world.h"

namespace cairn {

namespace {

constexpr std::string_view kMark = "cairn elastic world 2\n";
constexpr std::int32_t kMostBlock = 1 << 14;  // of an index, either sign

template <class Archive, class V>
void vec(Archive& a, V& v) {
  a.number(v.x);
  a.number(v.y);
  a.number(v.z);
}

template <class Archive, class Choice>
void choice(Archive& a, Choice& value, int count) {
  auto number = static_cast<std::uint8_t>(value);
  a.number(number);
  if constexpr (Archive::kReads) {
    require(number < count, "a choice is none of those that exist");
    value = static_cast<Choice>(number);
  }
}

template <class Archive, class P>
void pose(Archive& a, P& p) {
  vec(a, p.position);
  a.number(p.orientation.w);
  vec(a, p.orientation);
}

template <class Archive, class S>
void pairs(Archive& a, S& settings) {
  a.size(settings, 16);
  for (auto& [name, value] : settings) {
    a.text(name);
    a.text(value);
  }
}

template <class Archive, class S>
void settings_of(Archive& a, S& s) {
  vec(a, s.grid.origin);
  a.number(s.grid.spacing);
  vec(a, s.grid.cells);
  vec(a, s.gravity);
  choice(a, s.solid.advection, 2);
  a.number(s.solid.least_mass);
  a.number(s.cfl);
  a.number(s.sub_steps);
  a.number(s.max_sub_steps);
  a.number(s.contact);
  a.text(s.contact_solver);
  pairs(a, s.contact_solver_settings);
  a.number(s.staggered.schur);
  a.number(s.staggered.iterations);
  a.number(s.staggered.tolerance);
  a.number(s.staggered.eps);
  a.number(s.staggered.sweeps);
  a.number(s.staggered.most_sets);
  a.number(s.contact_iterations);
  a.number(s.contact_tolerance);
  a.number(s.measure_residual);
  a.number(s.overlap_rate);
  a.number(s.warm_start);
}

void write_mesh(ByteWriter& a, const TriangleMesh& mesh) {
  a.size(mesh.data->vertices, 24);
  for (const Vec3& v : mesh.data->vertices) vec(a, v);
  a.size(mesh.data->triangles, 12);
  for (const MeshTriangle& t : mesh.data->triangles)
    for (const std::int32_t v : t.vertex) a.number(v);
}

TriangleMesh read_mesh(ByteReader& a) {
  std::vector<Vec3> vertices;
  std::vector<std::array<std::int32_t, 3>> triangles;
  a.size(vertices, 24);
  for (Vec3& v : vertices) vec(a, v);
  a.size(triangles, 12);
  for (auto& t : triangles)
    for (std::int32_t& v : t) a.number(v);
  return make_mesh(vertices, triangles);
}

struct WriteShape {
  ByteWriter& a;
  void operator()(const Sphere& s) const { a.number(s.radius); }
  void operator()(const Box& s) const { vec(a, s.half); }
  void operator()(const Cylinder& s) const {
    a.number(s.radius);
    a.number(s.half_height);
  }
  void operator()(const Capsule& s) const {
    a.number(s.radius);
    a.number(s.half_length);
  }
  void operator()(const Torus& s) const {
    a.number(s.ring);
    a.number(s.tube);
  }
  void operator()(const TriangleMesh& s) const { write_mesh(a, s); }
};

void shape(ByteWriter& a, const SolidShape& s) {
  a.number(static_cast<std::uint8_t>(s.index()));
  std::visit(WriteShape{a}, s);
}

void shape(ByteReader& a, SolidShape& s) {
  const auto number = [&] { return a.get<double>(); };
  switch (a.get<std::uint8_t>()) {
    case 0: s = make_sphere(number()); break;
    case 1: {
      Vec3 half;
      vec(a, half);
      s = make_box(half);
      break;
    }
    case 2: {
      const double radius = number();
      s = make_cylinder(radius, number());
      break;
    }
    case 3: {
      const double radius = number();
      s = make_capsule(radius, number());
      break;
    }
    case 4: {
      const double ring = number();
      s = make_torus(ring, number());
      break;
    }
    case 5: s = read_mesh(a); break;
    default: fail_input("a shape is none of those that exist");
  }
}

void wall_shape(ByteWriter& a, const WallDef& wall) {
  const auto* plane = std::get_if<HalfSpace>(&wall.shape);
  a.number(plane != nullptr);
  if (plane == nullptr) return shape(a, std::get<SolidShape>(wall.shape));
  vec(a, plane->normal);
  a.number(plane->offset);
}
void wall_shape(ByteReader& a, WallDef& wall) {
  if (a.get<bool>()) {
    HalfSpace plane;
    vec(a, plane.normal);
    a.number(plane.offset);
    wall.shape = plane;
  } else {
    SolidShape solid;
    shape(a, solid);
    wall.shape = solid;
  }
}

template <class Archive, class W>
void wall_of(Archive& a, W& wall) {
  wall_shape(a, wall);
  pose(a, wall.pose);
  vec(a, wall.velocity);
  a.number(wall.friction);
}

template <class Archive, class M>
void material_of(Archive& a, M& m) {
  choice(a, m.model, 3);
  a.number(m.density);
  a.number(m.young);
  a.number(m.poisson);
  a.number(m.viscosity);
  a.number(m.friction);
}

void blocks_of(ByteWriter& a, const GridSolid& solid) {
  const auto blocks = solid.blocks.blocks();
  a.size(blocks, 12);
  for (const GridIndex& b : blocks) vec(a, b);
}

void blocks_of(ByteReader& a, GridSolid& solid) {
  std::vector<GridIndex> blocks;
  a.size(blocks, 12);
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    vec(a, blocks[i]);
    const auto is_near = [](std::int32_t x) { return x > -kMostBlock && x < kMostBlock; };
    require(
        is_near(blocks[i].x) && is_near(blocks[i].y) && is_near(blocks[i].z) && (i == 0 || blocks[i - 1] < blocks[i]),
        "the blocks of a solid are out of order");
  }
  solid.blocks.assign(blocks);
  resize_fields(solid);
}

template <class Archive, class S>
void solid_of(Archive& a, S& solid) {
  shape(a, solid.shape);
  material_of(a, solid.material);
  choice(a, solid.state, 4);
  blocks_of(a, solid);
  for (std::size_t i = 0; i < solid.flags.size(); ++i) {
    a.number(solid.flags[i]);
    if ((solid.flags[i] & kHasMap) != 0) vec(a, solid.map[i]);
    if ((solid.flags[i] & kHasVelocity) != 0) vec(a, solid.velocity[i]);
  }
}

/// Checks that a step could have left these fields, and makes the other fields from them.
void complete(GridSolid& solid, const ElasticSettings& settings, ThreadPool* pool) {
  check_solid_shape(solid.shape);
  check_material(solid.material);
  solid.grid = settings.grid;
  solid.settings = settings.solid;
  solid.lame = lame_constants(solid.material);
  for (std::size_t i = 0; i < solid.flags.size(); ++i)
    require(solid.flags[i] < 8 && is_finite(solid.map[i]) && is_finite(solid.velocity[i]),
            "a field of a solid is not finite");
  const SolidState state = solid.state;
  update_distance(solid, pool);
  const bool is_well = integrate_cells(solid, pool);
  require(is_well || state != SolidState::active, "the fields of a solid are inverted or not finite");
  solid.state = state;
}

void rigid_of(ByteWriter& a, const World& world) { a.text(world.save()); }
void rigid_of(ByteReader& a, World& world) {
  std::string bytes;
  a.text(bytes);
  if (const auto error = world.restore(bytes)) fail_input("the rigid bodies: " + error->message, error->kind);
}

}  // namespace

template <class Archive, class Self>
void ElasticWorld::archive(Archive& a, Self& world) {
  settings_of(a, world.settings_);
  a.number(world.report_.step);
  a.number(world.report_.time);
  a.size(world.walls_, 8);
  for (auto& wall : world.walls_) wall_of(a, wall);
  a.size(world.solids_, 8);
  for (auto& solid : world.solids_) solid_of(a, solid);
  a.size(world.start_mass_, 8);
  for (auto& mass : world.start_mass_) a.number(mass);
  a.size(world.warm_, 56);
  for (auto& row : world.warm_) {
    a.number(row.key.a);
    a.number(row.key.b);
    a.number(row.key.axis);
    a.number(row.key.u);
    a.number(row.key.v);
    a.number(row.key.part);
    a.number(row.normal);
    vec(a, row.tangential);
  }
  rigid_of(a, world.rigid_->world);
}

std::string ElasticWorld::save() const {
  ByteWriter body;
  archive(body, *this);
  const Hash128 hash = hash_bytes(body.bytes());
  ByteWriter all;
  all.raw(kMark);
  all.number(hash.high);
  all.number(hash.low);
  all.raw(body.bytes());
  return all.take();
}

void ElasticWorld::restore(std::string_view bytes) {
  ByteReader reader(bytes);
  require(bytes.size() > kMark.size() && reader.raw(kMark.size()) == kMark,
          "these bytes are no state of an elastic world of this version");
  Hash128 hash;
  reader.number(hash.high);
  reader.number(hash.low);
  const std::string_view body = bytes.substr(kMark.size() + 16);
  require(hash == hash_bytes(body), "the state of the elastic world is damaged");
  ElasticSettings settings;
  {
    ByteReader first(body);
    settings_of(first, settings);
  }
  settings.threads = settings_.threads;
  ElasticWorld made(settings);
  ByteReader rest(body);
  archive(rest, made);
  require(rest.finished(), "the state of the elastic world is longer than it should be");
  made.settings_.threads = settings_.threads;
  require(made.start_mass_.size() == made.solids_.size() && made.report_.step >= 0 && std::isfinite(made.report_.time),
          "the state of the elastic world contradicts itself");
  for (const double mass : made.start_mass_) require(std::isfinite(mass) && mass > 0, "a mass is no mass");
  for (std::size_t i = 0; i < made.warm_.size(); ++i)
    require(std::isfinite(made.warm_[i].normal) && is_finite(made.warm_[i].tangential) &&
                (i == 0 || made.warm_[i - 1].key < made.warm_[i].key),
            "the impulses of the last step are out of order or not finite");
  for (const WallDef& wall : made.walls_) check_wall(wall);
  for (GridSolid& solid : made.solids_) complete(solid, made.settings_, made.pool_.get());
  *this = std::move(made);
}

}  // namespace cairn
