// SPDX-License-Identifier: MIT
// CHOLMOD, simplicial LDL^T: its supernodal form was slower on matrices of this size. Built where it is found.
#include <cholmod.h>

#include <vector>

#include "apps/bench/sparse_peer.h"
#include "cairn/core/index.h"

namespace cairn::cli {

namespace {

class CholmodPeer : public SparsePeer {
 public:
  CholmodPeer() {
    cholmod_start(&common_);
    common_.supernodal = CHOLMOD_SIMPLICIAL;
  }
  ~CholmodPeer() override {
    cholmod_free_dense(&x_, &common_);
    cholmod_free_dense(&y_, &common_);
    cholmod_free_dense(&e_, &common_);
    cholmod_free_dense(&rhs_, &common_);
    cholmod_free_factor(&factor_, &common_);
    cholmod_free_sparse(&matrix_, &common_);
    cholmod_finish(&common_);
  }
  CholmodPeer(const CholmodPeer&) = delete;
  CholmodPeer& operator=(const CholmodPeer&) = delete;

  std::string name() const override { return "CHOLMOD LDL"; }

  void analyse(int size, std::span<const SparseEntry> entries) override {
    const auto n = to_index(size);
    cholmod_triplet* triplets = cholmod_allocate_triplet(n, n, entries.size(), -1, CHOLMOD_REAL, &common_);
    std::size_t count = 0;
    for (const SparseEntry& e : entries) {
      if (e.row < e.column) continue;  // the lower half
      static_cast<int*>(triplets->i)[count] = e.row;
      static_cast<int*>(triplets->j)[count] = e.column;
      static_cast<double*>(triplets->x)[count++] = e.value;
    }
    triplets->nnz = count;
    matrix_ = cholmod_triplet_to_sparse(triplets, count, &common_);
    cholmod_free_triplet(&triplets, &common_);
    factor_ = cholmod_analyze(matrix_, &common_);
    rhs_ = cholmod_zeros(n, 1, CHOLMOD_REAL, &common_);
  }
  void factor() override { cholmod_factorize(matrix_, factor_, &common_); }
  void solve(const std::vector<double>& rhs, std::vector<double>& x) override {
    std::copy(rhs.begin(), rhs.end(), static_cast<double*>(rhs_->x));
    cholmod_solve2(CHOLMOD_A, factor_, rhs_, nullptr, &x_, nullptr, &y_, &e_, &common_);
    const double* result = static_cast<const double*>(x_->x);
    std::copy(result, result + x.size(), x.begin());
  }

 private:
  cholmod_common common_{};
  cholmod_sparse* matrix_ = nullptr;
  cholmod_factor* factor_ = nullptr;
  cholmod_dense *rhs_ = nullptr, *x_ = nullptr, *y_ = nullptr, *e_ = nullptr;  ///< memory kept between solves
};

}  // namespace

std::unique_ptr<SparsePeer> make_cholmod_peer() { return std::make_unique<CholmodPeer>(); }

}  // namespace cairn::cli
