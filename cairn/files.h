// SPDX-License-Identifier: MIT
// What a program that reads and writes files includes besides cairn/cairn.h: problems in FCLIB's format, scenes,
// robots, recordings and checkpoints. Link cairn::files.
#pragma once

#include "cairn/io/problem_file.h"
#include "cairn/record/checkpoint.h"
#include "cairn/record/recording.h"
#include "cairn/scenefile/scene_file.h"
#include "cairn/scenefile/urdf.h"
