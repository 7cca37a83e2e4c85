// SPDX-License-Identifier: MIT
// General sparse factorisations beside our block LDL, for `bench ldl` only.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace cairn::cli {

/// One entry of a symmetric matrix; both halves are given.
struct SparseEntry {
  int row = 0, column = 0;
  double value = 0;
};

/// A factorisation whose symbolic phase is done once and whose numeric phase is repeated.
class SparsePeer {
 public:
  virtual ~SparsePeer() = default;
  virtual std::string name() const = 0;
  virtual void analyse(int size, std::span<const SparseEntry> entries) = 0;
  virtual void factor() = 0;
  virtual void solve(const std::vector<double>& rhs, std::vector<double>& x) = 0;
};

std::unique_ptr<SparsePeer> make_eigen_peer();

/// None when the program was built without CHOLMOD.
std::unique_ptr<SparsePeer> make_cholmod_peer();

}  // namespace cairn::cli
