// SPDX-License-Identifier: MIT
#include "cairn/qp/k0_solve.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "cairn/core/errors.h"
#include "cairn/core/index.h"

namespace cairn {

namespace {

constexpr std::array<std::array<double, 2>, 4> kFacets{{{1, 1}, {-1, -1}, {1, -1}, {-1, 1}}};

void factor_or_refuse(QpFactor& factor, std::span<const std::int32_t> rows, ThreadPool* pool) {
  require(factor.factor(rows, pool), "the matrix of the saddle point system is not positive definite on its free part");
}

class ContactK0 : public K0Solver {
 public:
  ContactK0(const QpMatrix& h, std::span<const std::int32_t> bound, ThreadPool* pool)
      : h_(h), bound_(bound.begin(), bound.end()), factor_(h.make_factor()) {
    std::vector<std::uint8_t> is_bound(to_index(h.size()), 0);
    for (std::size_t k = 0; k < bound_.size(); ++k) {
      require(bound_[k] >= 0 && bound_[k] < h.size() && (k == 0 || bound_[k - 1] < bound_[k]),
              "bound variables must exist and ascend");
      is_bound[to_index(bound_[k])] = 1;
    }
    for (std::int32_t i = 0; i < h.size(); ++i)
      if (is_bound[to_index(i)] == 0) free_.push_back(i);
    factor_or_refuse(*factor_, free_, pool);
  }

  int unknowns() const override { return h_.size(); }
  int active() const override { return static_cast<int>(bound_.size()); }

  void solve(std::span<double> x, std::span<double> multiplier, int count, ThreadPool* pool) override {
    const auto n = to_index(unknowns()), p = bound_.size(), m = free_.size();
    std::vector<double> c(x.begin(), x.end()), packed(m * to_index(count)), product(x.size());
    for (std::size_t r = 0; r < to_index(count); ++r) {
      const std::span<double> alpha = x.subspan(r * n, n);
      std::fill(alpha.begin(), alpha.end(), 0.0);
      for (std::size_t k = 0; k < p; ++k) alpha[to_index(bound_[k])] = -multiplier[r * p + k];  // (5.4)
    }
    h_.multiply_all(x, count, product, pool);
    for (std::size_t r = 0; r < to_index(count); ++r)
      for (std::size_t k = 0; k < m; ++k) {
        const std::size_t i = r * n + to_index(free_[k]);
        packed[r * m + k] = c[i] - product[i];
      }
    factor_->solve(packed, count, pool);  // (5.5)
    for (std::size_t r = 0; r < to_index(count); ++r) {
      const std::span<double> alpha = x.subspan(r * n, n);
      for (std::size_t k = 0; k < m; ++k) alpha[to_index(free_[k])] = packed[r * m + k];
      for (std::size_t k = 0; k < p; ++k)  // (5.6)
        multiplier[r * p + k] = h_.row_dot(bound_[k], alpha) - c[r * n + to_index(bound_[k])];
    }
  }

 private:
  const QpMatrix& h_;
  std::vector<std::int32_t> bound_, free_;
  std::unique_ptr<QpFactor> factor_;
};

template <class Matrix>
class FrictionK0 : public K0Solver {
 public:
  FrictionK0(const Matrix& h, std::span<const ActiveFacet> active, ThreadPool* pool)
      : h_(h), active_(active.begin(), active.end()), z_(null_space(h.size() / 2, active)) {
    if (z_.empty()) return;  // all contacts are in their corners
    reduced_ = std::make_unique<Matrix>(reduce(h, z_));
    factor_ = reduced_->make_factor();
    std::vector<std::int32_t> all(z_.size());
    std::iota(all.begin(), all.end(), 0);
    factor_or_refuse(*factor_, all, pool);
  }

  int unknowns() const override { return h_.size(); }
  int active() const override { return static_cast<int>(active_.size()); }

  void solve(std::span<double> x, std::span<double> multiplier, int count, ThreadPool* pool) override {
    const auto n = to_index(unknowns()), p = active_.size(), m = z_.size();
    std::vector<double> d(x.begin(), x.end()), packed(m * to_index(count)), product(x.size());
    const auto first = [](std::int32_t contact) { return 2 * to_index(contact); };
    for (std::size_t r = 0; r < to_index(count); ++r) {
      const std::span<double> beta = x.subspan(r * n, n);
      std::fill(beta.begin(), beta.end(), 0.0);
      for (std::size_t k = 0; k < p; ++k)  // (5.18)
        for (const std::size_t axis : {0, 1})
          beta[first(active_[k].contact) + axis] += 0.5 * facet(k)[axis] * multiplier[r * p + k];
    }
    h_.multiply_all(x, count, product, pool);
    for (std::size_t r = 0; r < to_index(count); ++r)
      for (std::size_t k = 0; k < m; ++k) {
        const std::size_t i = r * n + first(z_[k].contact);
        packed[r * m + k] = z_[k].a * (d[i] - product[i]) + z_[k].b * (d[i + 1] - product[i + 1]);
      }
    if (m > 0) factor_->solve(packed, count, pool);  // (5.17)
    for (std::size_t r = 0; r < to_index(count); ++r) {
      const std::span<double> beta = x.subspan(r * n, n);
      for (std::size_t k = 0; k < m; ++k) {  // (5.16)
        const std::size_t i = first(z_[k].contact);
        beta[i] += z_[k].a * packed[r * m + k], beta[i + 1] += z_[k].b * packed[r * m + k];
      }
    }
    h_.multiply_all(x, count, product, pool);
    for (std::size_t r = 0; r < to_index(count); ++r)
      for (std::size_t k = 0; k < p; ++k) {  // (5.20)
        const std::size_t i = r * n + first(active_[k].contact);
        multiplier[r * p + k] = 0.5 * (facet(k)[0] * (d[i] - product[i]) + facet(k)[1] * (d[i + 1] - product[i + 1]));
      }
  }

 private:
  const std::array<double, 2>& facet(std::size_t k) const { return kFacets[to_index(active_[k].facet)]; }

  const Matrix& h_;
  std::vector<ActiveFacet> active_;
  std::vector<NullColumn> z_;
  std::unique_ptr<Matrix> reduced_;
  std::unique_ptr<QpFactor> factor_;
};

/// z_p' H z_q.
template <class At>
double reduced_entry(const NullColumn& p, const NullColumn& q, const At& at) {
  const int i = 2 * p.contact, j = 2 * q.contact;
  return p.a * (q.a * at(i, j) + q.b * at(i, j + 1)) + p.b * (q.a * at(i + 1, j) + q.b * at(i + 1, j + 1));
}

}  // namespace

std::vector<NullColumn> null_space(int contacts, std::span<const ActiveFacet> active) {
  std::vector<NullColumn> z;
  std::size_t next = 0;
  for (std::int32_t c = 0; c < contacts; ++c) {
    const std::size_t first = next;
    while (next < active.size() && active[next].contact == c) {
      require(active[next].facet >= 0 && active[next].facet < 4, "a friction diamond has the facets 0 to 3");
      require(next == first || active[next - 1].facet < active[next].facet, "the facets of a contact must ascend");
      ++next;
    }
    const std::size_t count = next - first;
    require(count <= 2 && (count < 2 || active[first].facet / 2 != active[first + 1].facet / 2),
            "opposite facets of a friction diamond cannot be active together");
    if (count == 0) z.push_back({c, 1, 0}), z.push_back({c, 0, 1});             // (5.11)
    if (count == 1) z.push_back({c, 1, active[first].facet < 2 ? -1.0 : 1.0});  // (5.10)
  }
  require(next == active.size(), "active facets must ascend by contact, and their contacts exist");
  return z;
}

BandedMatrix reduce(const BandedMatrix& h, std::span<const NullColumn> z) {
  const int size = static_cast<int>(z.size()), widest = h.bandwidth();
  const auto at = [&](int i, int j) {
    const int low = std::min(i, j), away = std::max(i, j) - low;
    return away <= widest ? h.column(low)[away] : 0.0;
  };
  const auto entry = [&](int p, int q) { return reduced_entry(z[to_index(p)], z[to_index(q)], at); };
  // The first column that couples with each, among those of pairs whose nearest rows lie within the band.
  int bandwidth = 0;
  for (int p = 0, from = 0; p < size; ++p) {
    const std::int32_t contact = z[to_index(p)].contact;
    while (2 * (contact - z[to_index(from)].contact) > widest + 1) ++from;
    int q = from;
    while (q < p && entry(p, q) == 0) ++q;
    bandwidth = std::max(bandwidth, p - q);
  }
  const auto stride = to_index(bandwidth) + 1;
  std::vector<double> values(to_index(size) * stride, 0.0);
  for (int q = 0; q < size; ++q)
    for (int p = q; p < std::min(size, q + bandwidth + 1); ++p)
      values[to_index(p - q) + to_index(q) * stride] = entry(p, q);
  return {size, bandwidth, std::move(values)};
}

SparseQpMatrix reduce(const SparseQpMatrix& h, std::span<const NullColumn> z) {
  // Per row of H its columns of Z, at most two.
  std::vector<std::array<std::int32_t, 2>> columns(to_index(h.size() / 2), {-1, -1});
  for (std::size_t k = 0; k < z.size(); ++k) {
    auto& mine = columns[to_index(z[k].contact)];
    mine[mine[0] < 0 ? 0 : 1] = static_cast<std::int32_t>(k);
  }
  std::vector<MatrixEntry> entries;
  const auto weight = [&](std::int32_t column, std::int32_t row) {
    const NullColumn& c = z[to_index(column)];
    return row % 2 == 0 ? c.a : c.b;
  };
  for (std::int32_t i = 0; i < h.size(); ++i)
    for (std::size_t e = 0; e < h.columns(i).size(); ++e) {
      const std::int32_t j = h.columns(i)[e];
      for (const std::int32_t p : columns[to_index(i / 2)])
        for (const std::int32_t q : columns[to_index(j / 2)])
          if (p >= 0 && q >= 0 && weight(p, i) != 0 && weight(q, j) != 0)
            entries.push_back({p, q, weight(p, i) * h.values(i)[e] * weight(q, j)});
    }
  return {static_cast<int>(z.size()), std::move(entries), h.method()};
}

std::unique_ptr<K0Solver> make_contact_k0(const QpMatrix& h, std::span<const std::int32_t> bound, ThreadPool* pool) {
  return std::make_unique<ContactK0>(h, bound, pool);
}
std::unique_ptr<K0Solver> make_friction_k0(const BandedMatrix& h, std::span<const ActiveFacet> active,
                                           ThreadPool* pool) {
  return std::make_unique<FrictionK0<BandedMatrix>>(h, active, pool);
}
std::unique_ptr<K0Solver> make_friction_k0(const SparseQpMatrix& h, std::span<const ActiveFacet> active,
                                           ThreadPool* pool) {
  return std::make_unique<FrictionK0<SparseQpMatrix>>(h, active, pool);
}

}  // namespace cairn
