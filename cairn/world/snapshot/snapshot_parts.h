// SPDX-License-Identifier: MIT
// The sections of a snapshot. Each is written from a world and read into a new one in the order below; reading checks
// all it reads and throws InputError. Afterwards no index of the world is out of range and no number is beyond what the
// world can work with, whatever the bytes said.
#pragma once

#include "cairn/core/bytes.h"
#include "cairn/world/limits.h"
#include "cairn/world/world_state.h"

namespace cairn {

/// All settings but the number of threads, which belongs to the machine.
void save_settings(const WorldState& world, ByteWriter& out);
void load_settings(ByteReader& in, WorldState& world);

/// Handles, poses, velocities, and all of the records but the lists of shapes.
void save_bodies(const WorldState& world, ByteWriter& out);
void load_bodies(ByteReader& in, WorldState& world);

/// Handles, geometry, definitions and where shapes were last placed. Reading also makes what follows from bodies and
/// shapes together: masses, lists of shapes, materials.
void save_shapes(const WorldState& world, ByteWriter& out);
void load_shapes(ByteReader& in, WorldState& world);
/// The same without where shapes were placed, which settings decide.
void save_shape_definitions(const WorldState& world, ByteWriter& out);

/// The clock, pairs of bodies that never collide, and shapes removed since the last step.
void save_course(const WorldState& world, ByteWriter& out);
void load_course(ByteReader& in, WorldState& world);

/// The contacts of the last step with their impulses.
void save_contacts(const WorldState& world, ByteWriter& out);
void load_contacts(ByteReader& in, WorldState& world);

/// The colours of the contact graph.
void save_colours(const WorldState& world, ByteWriter& out);
void load_colours(ByteReader& in, WorldState& world);

/// Handles, definitions, coordinates and impulses.
void save_joints(const WorldState& world, ByteWriter& out);
void load_joints(ByteReader& in, WorldState& world);

/// A pose as edits and steps leave it: finite, not beyond kFarthest, unit but for rounding.
void check_reached(const Pose& pose, const char* what);

}  // namespace cairn
