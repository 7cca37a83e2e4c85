// SPDX-License-Identifier: MIT
#include "apps/bench/sparse_peer.h"

#include <Eigen/Sparse>
#include <Eigen/SparseCholesky>

namespace cairn::cli {

namespace {

using Matrix = Eigen::SparseMatrix<double>;

class EigenPeer : public SparsePeer {
 public:
  std::string name() const override { return "Eigen SimplicialLDLT"; }

  void analyse(int size, std::span<const SparseEntry> entries) override {
    std::vector<Eigen::Triplet<double>> triplets;
    for (const SparseEntry& e : entries) triplets.emplace_back(e.row, e.column, e.value);
    matrix_.resize(size, size);
    matrix_.setFromTriplets(triplets.begin(), triplets.end());
    ldlt_.analyzePattern(matrix_);
  }
  void factor() override { ldlt_.factorize(matrix_); }
  void solve(const std::vector<double>& rhs, std::vector<double>& x) override {
    const auto n = static_cast<Eigen::Index>(rhs.size());
    Eigen::Map<Eigen::VectorXd>(x.data(), n) = ldlt_.solve(Eigen::Map<const Eigen::VectorXd>(rhs.data(), n));
  }

 private:
  Matrix matrix_;
  Eigen::SimplicialLDLT<Matrix> ldlt_;
};

}  // namespace

std::unique_ptr<SparsePeer> make_eigen_peer() { return std::make_unique<EigenPeer>(); }

}  // namespace cairn::cli
