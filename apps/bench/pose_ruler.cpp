// SPDX-License-Identifier: MIT
#include "apps/bench/pose_ruler.h"

#include <algorithm>

#include "cairn/measures/energy.h"
#include "cairn/world/limits.h"

namespace cairn::cli {

namespace {

constexpr double kNoTime = kShortestStep;  // of which only the detection counts
constexpr double kFarthest = 1e6, kFastest = 1e6;

bool usable(const peers::PeerState& s) {
  return is_finite(s.pose) && norm(s.pose.position) <= kFarthest && norm(s.velocity.linear) <= kFastest &&
         norm(s.velocity.angular) <= kFastest;  // false for what is not a number
}

}  // namespace

PoseRuler::PoseRuler(scenes::Scene scene) : scene_(std::move(scene)), watch_(scene_), bodies_(scene_.world.bodies()) {
  WorldSettings settings = scene_.world.settings();
  settings.solver = "gauss_seidel", settings.solver_settings.clear();
  settings.iterations = 1, settings.measure_residual = false;
  settings.recycling = false, settings.sleep.enabled = false;
  scene_.world.set_settings(settings);
}

/// A body whose numbers are of no use is lost: it is put below the floor.
void PoseRuler::take_over(std::span<const peers::PeerState> states) {
  require(states.size() == bodies_.size(), "the ruler needs one state per body of its scene");
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    if (scene_.world.view(bodies_[i]).kind != BodyKind::dynamic) continue;
    const bool good = usable(states[i]);
    scene_.world.set_pose(bodies_[i], good ? states[i].pose : Pose{{0, 0, scene_.floor - 1}, {}});
    scene_.world.set_velocity(bodies_[i], good ? states[i].velocity : Velocity{});
  }
}

void PoseRuler::measure_motion() {
  const World& world = scene_.world;
  watch_.look(world);
  quality_.fell_through = watch_.fell_through(), quality_.left = watch_.left();
  double energy = 0;
  for (const BodyId body : bodies_) energy += kinetic_energy(world.view(body));
  const std::int64_t there = watch_.dynamic_bodies() - watch_.fell_through() - watch_.left();
  energy_ += (energy - watch_.kinetic_energy_gone(world)) / static_cast<double>(std::max<std::int64_t>(there, 1));
  const BodyWatch::Motion motion = watch_.motion(world);
  quality_.drift = motion.drift, quality_.sag = motion.sag;
}

/// Whoever is gone stands far above everything, alone.
void PoseRuler::measure_overlap() {
  constexpr double kSky = 1e4, kApart = 100;
  double z = kSky;
  for (const BodyId body : watch_.gone()) scene_.world.set_pose(body, {{0, 0, z += kApart}, {}});
  for (const BodyId body : bodies_)
    if (scene_.world.view(body).kind == BodyKind::dynamic) scene_.world.set_velocity(body, {});
  const StepReport& report = scene_.world.step(kNoTime);
  quality_.max_overlap = std::max(quality_.max_overlap, report.max_overlap);
  quality_.joint_error = std::max(quality_.joint_error, report.max_joint_error);
  overlap_ += report.mean_overlap;
}

void PoseRuler::look(std::span<const peers::PeerState> states) {
  take_over(states);
  measure_motion();
  measure_overlap();
  ++looks_;
  quality_.kinetic_energy = energy_ / static_cast<double>(looks_);
  quality_.mean_overlap = overlap_ / static_cast<double>(looks_);
}

}  // namespace cairn::cli
