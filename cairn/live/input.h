// SPDX-License-Identifier: MIT
// LiveInput: what people do to a world that runs, so that it can be logged, done again and kept in a file.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "cairn/live/drag.h"

namespace cairn {

enum class ShotForm : std::uint8_t { sphere, box, capsule, cylinder, cone };
inline constexpr const char* kShotForms[] = {"sphere", "box", "capsule", "cylinder", "cone"};

/// A body that is shot or dropped into the scene.
struct LiveShot {
  Vec3 origin, velocity;
  double radius = 0.2, density = 1000;
  ShotForm form = ShotForm::sphere;  ///< of about that radius
};
struct LiveRemoval {
  BodyId body;
};
/// Ends a drag.
struct LiveRelease {};
/// Other settings of the world and the step; shared, since they are large and inputs are many.
struct LiveChange {
  std::shared_ptr<const WorldSettings> settings;
  double dt = 1.0 / 60;
};
/// Another drive of a joint with one free direction.
struct LiveDrive {
  JointId joint;
  AxisDrive drive;
};
/// One coefficient of friction for all shapes.
struct LiveFriction {
  double friction = 0.5;
};
/// Order as in files: new ones go to the end.
using LiveInput = std::variant<LiveDrag, LiveRelease, LiveShot, LiveRemoval, LiveChange, LiveDrive, LiveFriction>;

struct LoggedInput {
  std::int64_t step = 0;  ///< done when so many steps had been done
  LiveInput input;
};

/// What decides a step besides the world.
struct LiveHand {
  double dt = 1.0 / 60;
  std::optional<LiveDrag> drag{};
};

Shape shot_shape(const LiveShot& shot);

/// InputError for a step that no world takes.
void check_dt(double dt);

/// Does it now; the body that was added, if any. InputError: nothing changed.
std::optional<BodyId> apply_input(World& world, LiveHand& hand, const LiveInput& input);
/// A step with the pull of the hand.
void step_with(World& world, const LiveHand& hand);

/// Inputs as bytes, for files, and back. InputError for bytes that are none.
std::string pack_inputs(std::span<const LoggedInput> inputs);
std::vector<LoggedInput> unpack_inputs(const std::string& bytes);

/// A run that is computed again with everything that was done to it.
class InputReplay {
 public:
  InputReplay(World world, double dt, std::vector<LoggedInput> inputs);
  World& world() { return world_; }
  double dt() const { return hand_.dt; }
  void step();
  /// Bodies that were added so far, in that order.
  std::span<const BodyId> added() const { return added_; }

 private:
  World world_;
  LiveHand hand_;
  std::vector<LoggedInput> inputs_;
  std::size_t next_ = 0;
  std::vector<BodyId> added_;
};

}  // namespace cairn
