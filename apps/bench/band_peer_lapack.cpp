// SPDX-License-Identifier: MIT
#include "apps/bench/band_peer.h"

#include <cstddef>

extern "C" void dpbtrf_(const char* half, const int* size, const int* bandwidth, double* band, const int* stride,
                        int* info, std::size_t half_length);

namespace cairn::cli {

bool has_band_peer() { return true; }

bool factor_band_peer(int size, int bandwidth, std::span<double> band) {
  const int stride = bandwidth + 1;
  int info = 0;
  dpbtrf_("L", &size, &bandwidth, band.data(), &stride, &info, 1);
  return info == 0;
}

}  // namespace cairn::cli
