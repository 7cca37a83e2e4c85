// SPDX-License-Identifier: MIT
// SceneFamily: what one row of the table of scenes is made of. Each file of scenes returns its rows from the function
// declared at the end; scene.cpp puts them together and is the only reader.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cairn/world/world.h"
#include "scenes/scene.h"

namespace cairn::scenes {

/// A number a scene can be given; refused outside [least, most].
struct ParameterSpec {
  std::string name;
  double value = 0, least = 0, most = 0;
  std::string help;
  bool whole = false;  ///< integers only
};

/// The numbers of one scene, all checked. Written by make_scene, read by builders.
class SceneValues {
 public:
  SceneValues(int size, std::vector<std::pair<std::string, double>> values) : size_(size), values_(std::move(values)) {}

  /// The N of the name; 0 for scenes without.
  int size() const { return size_; }
  /// The value of a parameter that the family lists.
  double get(std::string_view name) const;
  int whole(std::string_view name) const { return static_cast<int>(get(name)); }
  std::uint64_t seed() const { return static_cast<std::uint64_t>(get("seed")); }

 private:
  int size_;
  std::vector<std::pair<std::string, double>> values_;
};

/// The N of a name such as ball_grid_N. `most` is 0 for scenes without one.
struct SizeRange {
  int least = 0, most = 0;
  int example = 0;
};

struct SceneFamily {
  std::string name;  ///< complete, or up to and with the last underscore where a size follows
  SizeRange size{};
  std::string summary;
  std::vector<ParameterSpec> parameters;
  void (*build)(World& world, const SceneValues& values) = nullptr;  ///< adds the bodies
  double (*half_width)(const SceneValues& values) = nullptr;         ///< m, see Scene; none: endless
  int steps = 600;
  int measure_from = 300, measure_to = 600;
  double dt = 1.0 / 60;  ///< s
  double floor = -1;     ///< m, see Scene::floor
  int sub_steps = 1;     ///< parts of a step
  int iterations = 0;    ///< sweeps per step where the world's default does not do; 0: it does
};

/// The defaults with what was given. InputError for a name or a value that the specs do not allow; `scene` is for it.
SceneValues parse_values(const std::string& scene, const std::vector<ParameterSpec>& specs, int size,
                         const NamedSettings& given);
/// As `cairn scenes` prints them.
std::vector<SceneParameter> describe(const std::vector<ParameterSpec>& specs);

/// Parameters that many scenes share.
inline ParameterSpec friction_parameter(double value = 0.5) {
  return {"friction", value, 0, 10, "coefficient of all surfaces"};
}
inline ParameterSpec seed_parameter() { return {"seed", 1, 0, 1e9, "of the random numbers", true}; }

// One function per file of scenes.
std::vector<SceneFamily> ball_scenes();
std::vector<SceneFamily> box_scenes();
std::vector<SceneFamily> card_house_scenes();
std::vector<SceneFamily> chain_scenes();
std::vector<SceneFamily> chess_scenes();
std::vector<SceneFamily> convex_scenes();
std::vector<SceneFamily> fracture_scenes();
std::vector<SceneFamily> hopper_scenes();
std::vector<SceneFamily> incline_scenes();
std::vector<SceneFamily> linkage_scenes();
std::vector<SceneFamily> machine_scenes();
std::vector<SceneFamily> masonry_scenes();
std::vector<SceneFamily> mesh_scenes();
std::vector<SceneFamily> ragdoll_scenes();
std::vector<SceneFamily> top_scenes();
std::vector<SceneFamily> vehicle_scenes();

}  // namespace cairn::scenes
