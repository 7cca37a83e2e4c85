// SPDX-License-Identifier: MIT
// Spoiler: changes single objects of a valid problem file, for tests of bad input.
#pragma once

#include <gtest/gtest.h>
#include <hdf5.h>

#include <string>
#include <utility>
#include <vector>

#include "cairn/core/index.h"

namespace cairn {

class Spoiler {
 public:
  explicit Spoiler(const std::string& path) : file_(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT)) {
    EXPECT_GE(file_, 0);
  }
  ~Spoiler() { H5Fclose(file_); }

  hid_t file() const { return file_; }
  void remove(const std::string& path) { EXPECT_GE(H5Ldelete(file_, path.c_str(), H5P_DEFAULT), 0) << path; }
  void group(const std::string& path) { H5Gclose(H5Gcreate2(file_, path.c_str(), 0, 0, 0)); }

  /// A dataset in place of whatever is there; `data` may be null to leave it unwritten.
  void dataset(const std::string& path, std::vector<hsize_t> extent, hid_t type, const void* data,
               hid_t plist = H5P_DEFAULT) {
    if (H5Lexists(file_, path.c_str(), H5P_DEFAULT) > 0) remove(path);
    const hid_t space = H5Screate_simple(static_cast<int>(extent.size()), extent.data(), nullptr);
    const hid_t id = H5Dcreate2(file_, path.c_str(), type, space, H5P_DEFAULT, plist, H5P_DEFAULT);
    EXPECT_GE(id, 0) << path;
    if (data != nullptr) {
      EXPECT_GE(H5Dwrite(id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data), 0) << path;
    }
    H5Dclose(id);
    H5Sclose(space);
  }
  /// The same with chunks, and compressed where `level` > 0.
  void chunked(const std::string& path, std::vector<hsize_t> extent, const std::vector<hsize_t>& chunk,
               const double* data = nullptr, unsigned level = 0) {
    const hid_t plist = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(plist, static_cast<int>(chunk.size()), chunk.data());
    if (level > 0) H5Pset_deflate(plist, level);
    dataset(path, std::move(extent), H5T_NATIVE_DOUBLE, data, plist);
    H5Pclose(plist);
  }
  /// A string of variable length, as some writers of FCLIB files use.
  void text(const std::string& path, const char* text) {
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, H5T_VARIABLE);
    dataset(path, {1}, type, &text);
    H5Tclose(type);
  }
  void reals(const std::string& path, const std::vector<double>& x) {
    dataset(path, {x.size()}, H5T_NATIVE_DOUBLE, x.data());
  }
  void ints(const std::string& path, const std::vector<std::int64_t>& x) {
    dataset(path, {x.size()}, H5T_NATIVE_INT64, x.data());
  }
  /// One entry of a dataset of integers or reals.
  void entry(const std::string& path, std::size_t index, double value) {
    const hid_t id = H5Dopen2(file_, path.c_str(), H5P_DEFAULT), space = H5Dget_space(id);
    std::vector<double> x(to_index(H5Sget_simple_extent_npoints(space)));
    H5Dread(id, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, x.data());
    x.at(index) = value;
    H5Dwrite(id, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, x.data());
    H5Sclose(space);
    H5Dclose(id);
  }

 private:
  hid_t file_;
};

}  // namespace cairn
