// SPDX-License-Identifier: MIT
// MotionFrame: what a recording keeps of a world after a step, and the numbers it keeps of the step itself.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cairn/record/joint_reading.h"

namespace cairn {

enum class ContactMode : std::uint8_t {
  open,   ///< no impulse
  stick,  ///< held: the surfaces do not move past each other, or the friction impulse is below its bound
  slide,  ///< they move past each other faster than WorldSettings::slip_speed, and friction is at its bound
};
const char* to_string(ContactMode mode);

/// Both speed and impulse are looked at: of a box at rest, whose friction four points share in many possible ways, some
/// points may be at their bound without sliding.
ContactMode contact_mode(const World& world, const ContactView& contact);

struct FrameContact {
  std::int32_t body_a = -1, body_b = -1;  ///< places in the list of bodies
  Vec3 point, normal, impulse;            ///< as ContactView
  double separation = 0;
  ContactMode mode = ContactMode::open;
  std::int32_t colour = -1;  ///< as ContactView; recordings do not keep it
};

struct MotionFrame {
  std::int64_t step = 0;
  double time = 0;                  ///< s
  std::vector<Pose> pose;           ///< per body, of its own frame
  std::vector<Velocity> velocity;   ///< per body, of its centre of mass
  std::vector<std::uint8_t> awake;  ///< per body, 0 or 1
  std::vector<FrameContact> contacts;
  std::vector<JointReading> joints{};  ///< of the joints that were asked for
};

/// `bodies` and `joints` are those to be kept, in that order; contacts with others are left out. What is not in the
/// world, not yet or no more, has NaN for its numbers.
MotionFrame take_frame(const World& world, std::span<const BodyId> bodies, bool with_contacts = true,
                       std::span<const JointId> joints = {});

/// What a body is made of, for people: "box sphere".
std::string shape_names(const World& world, BodyId body);

/// Numbers of a step by name: energies, residual, counts, overlaps, joints; then ms by stage, which alone differ from
/// run to run.
std::span<const char* const> statistic_names();
std::vector<double> statistics_of(const StepReport& report);

}  // namespace cairn
