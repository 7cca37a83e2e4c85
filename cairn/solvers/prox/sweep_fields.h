// SPDX-License-Identifier: MIT
// Fields of settings that all solvers by sweeps share.
#pragma once

#include "cairn/solvers/prox/acceleration.h"
#include "cairn/solvers/prox/prox_settings.h"
#include "cairn/solvers/solver_entry.h"

namespace cairn {

template <class S>
Field<S> relaxation_field() {
  return number("relaxation", &S::relaxation, 0.01, 1.99, "factor on every step");
}
template <class S>
Field<S> friction_order_field() {
  return choice("friction_order", &S::friction_order,
                {{"block", FrictionOrder::block}, {"staggered", FrictionOrder::staggered}},
                "friction rows with the normal rows of their contact, or after those of all contacts");
}
template <class S>
Field<S> acceleration_field() {
  return choice("acceleration", &S::acceleration,
                {{"none", Acceleration::none},
                 {"nesterov", Acceleration::nesterov},
                 {"anderson", Acceleration::anderson},
                 {"nncg", Acceleration::nncg}},
                "extrapolation from the last sweeps");
}
template <class S>
Field<S> depth_field() {
  return number("depth", &S::depth, 1, kMostDepth, "anderson: iterates remembered");
}

}  // namespace cairn
