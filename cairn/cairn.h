// SPDX-License-Identifier: MIT
// What a user program includes: worlds and shapes; elastic solids; problems, solvers, the ruler. Files: cairn/files.h.
#pragma once

#include "cairn/core/errors.h"
#include "cairn/core/parallel.h"
#include "cairn/euler/elastic_world.h"
#include "cairn/geometry/hull_builder.h"
#include "cairn/geometry/shape.h"
#include "cairn/joints/joint.h"
#include "cairn/measures/balance.h"
#include "cairn/measures/jitter.h"
#include "cairn/measures/order_sensitivity.h"
#include "cairn/narrow/cast.h"
#include "cairn/narrow/collide.h"
#include "cairn/narrow/gjk.h"
#include "cairn/problem/contact_problem.h"
#include "cairn/problem/delassus.h"
#include "cairn/problem/residual.h"
#include "cairn/solvers/solver.h"
#include "cairn/solvers/solver_table.h"
#include "cairn/world/debug_draw.h"
#include "cairn/world/world.h"
#include "cairn/world/world_batch.h"
