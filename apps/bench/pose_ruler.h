// SPDX-License-Identifier: MIT
// PoseRuler: judges where an engine, ours or another, has brought the bodies of a scene, by the same measure for all.
// A second world of the same scene takes over poses and velocities and lets our detection look for overlaps.
#pragma once

#include <cstdint>
#include <span>

#include "apps/commands/run_report.h"
#include "benchmarks/peers/peer.h"

namespace cairn::cli {

/// Who fell through or left counts as lost, and for nothing else.
struct PoseQuality {
  double kinetic_energy = 0;                ///< J per body, mean over the looks
  double max_overlap = 0;                   ///< m, over all looks
  double mean_overlap = 0;                  ///< m, mean over points and looks, points that only nearly touch as 0
  double joint_error = 0;                   ///< m, largest separation of a joint over all looks
  double drift = 0, sag = 0;                ///< m, at the last look: farthest sideways and down from where it was built
  std::int64_t fell_through = 0, left = 0;  ///< bodies so far
};

class PoseRuler {
 public:
  /// The scene at its beginning; its settings are changed to those of the ruler.
  explicit PoseRuler(scenes::Scene scene);

  /// In the order of World::bodies().
  void look(std::span<const peers::PeerState> states);
  const PoseQuality& quality() const { return quality_; }

 private:
  void take_over(std::span<const peers::PeerState> states);
  void measure_motion();
  void measure_overlap();

  scenes::Scene scene_;
  BodyWatch watch_;
  std::vector<BodyId> bodies_;
  PoseQuality quality_;
  double energy_ = 0, overlap_ = 0;  ///< sums over looks
  std::int64_t looks_ = 0;
};

}  // namespace cairn::cli
