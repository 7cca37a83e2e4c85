// SPDX-License-Identifier: MIT
// Tables of HDF5 files: datasets that grow by rows, and attributes. The other half of the door.
#include <fmt/core.h>
#include <hdf5.h>

#include <algorithm>
#include <cstring>

#include "cairn/core/errors.h"
#include "cairn/core/index.h"
#include "cairn/io/hdf5.h"

namespace cairn {

namespace {

constexpr unsigned kCompression = 1;  // of deflate: behind a shuffle more effort gains little and costs much

[[noreturn]] void fail_write(const std::string& path) {
  fail_input(fmt::format("{} cannot be written: is the disk full?", path), ErrorKind::io);
}

std::int64_t entries_of(std::span<const std::int64_t> row) {
  std::int64_t entries = 1;
  for (const std::int64_t side : row) entries *= side;
  return entries;
}

hid_t file_type(Hdf5Writer::Type type) {
  switch (type) {
    case Hdf5Writer::Type::f64: return H5T_IEEE_F64LE;
    case Hdf5Writer::Type::i64: return H5T_STD_I64LE;
    case Hdf5Writer::Type::i32: return H5T_STD_I32LE;
    case Hdf5Writer::Type::u64: return H5T_STD_U64LE;
    case Hdf5Writer::Type::u8: return H5T_STD_U8LE;
  }
  return H5T_IEEE_F64LE;
}

/// Text of exactly this length, without an end.
Hdf5Handle text_type(std::size_t length) {
  Hdf5Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type.get(), std::max<std::size_t>(length, 1));
  H5Tset_strpad(type.get(), H5T_STR_NULLPAD);
  H5Tset_cset(type.get(), H5T_CSET_UTF8);
  return type;
}

}  // namespace

void Hdf5Writer::create_table(const std::string& path, Type type, std::vector<std::int64_t> row,
                              std::int64_t chunk_rows) {
  CAIRN_ASSERT(row.size() < to_index(kMostRank) && chunk_rows > 0);
  hsize_t extent[kMostRank] = {0}, most[kMostRank] = {H5S_UNLIMITED}, chunk[kMostRank] = {};
  chunk[0] = static_cast<hsize_t>(chunk_rows);
  for (std::size_t k = 0; k < row.size(); ++k) {
    extent[k + 1] = most[k + 1] = static_cast<hsize_t>(row[k]);
    chunk[k + 1] = std::max<hsize_t>(extent[k + 1], 1);
  }
  const int rank = static_cast<int>(row.size()) + 1;
  const Hdf5Handle plist(H5Pcreate(H5P_DATASET_CREATE), H5Pclose),
      space(H5Screate_simple(rank, extent, most), H5Sclose);
  H5Pset_obj_track_times(plist.get(), false);
  H5Pset_chunk(plist.get(), rank, chunk);
  H5Pset_shuffle(plist.get());
  H5Pset_deflate(plist.get(), kCompression);
  Table table;
  table.id = Hdf5Handle(
      H5Dcreate2(file_.get(), path.c_str(), file_type(type), space.get(), H5P_DEFAULT, plist.get(), H5P_DEFAULT),
      H5Dclose);
  if (!table.id.valid()) fail_write(path);
  table.row = std::move(row);
  tables_[path] = std::move(table);
}

void Hdf5Writer::append(const std::string& path, std::int64_t memory_type, std::size_t count, const void* data) {
  Table& table = tables_.at(path);
  const std::int64_t width = entries_of(table.row);
  if (count == 0 && width > 0) return;
  // A row without entries (no bodies) is still a row.
  const auto rows = width > 0 ? static_cast<hsize_t>(count) / static_cast<hsize_t>(width) : hsize_t{1};
  hsize_t extent[kMostRank] = {}, start[kMostRank] = {}, size[kMostRank] = {rows};
  start[0] = static_cast<hsize_t>(table.rows);
  extent[0] = start[0] + rows;
  for (std::size_t k = 0; k < table.row.size(); ++k) extent[k + 1] = size[k + 1] = static_cast<hsize_t>(table.row[k]);
  if (H5Dset_extent(table.id.get(), extent) < 0) fail_write(path);
  table.rows = static_cast<std::int64_t>(extent[0]);
  if (count == 0) return;
  const Hdf5Handle space(H5Dget_space(table.id.get()), H5Sclose),
      memory(H5Screate_simple(static_cast<int>(table.row.size()) + 1, size, nullptr), H5Sclose);
  H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, start, nullptr, size, nullptr);
  if (H5Dwrite(table.id.get(), memory_type, memory.get(), space.get(), H5P_DEFAULT, data) < 0) fail_write(path);
}

void Hdf5Writer::append(const std::string& path, std::span<const double> v) {
  append(path, H5T_NATIVE_DOUBLE, v.size(), v.data());
}
void Hdf5Writer::append(const std::string& path, std::span<const std::int64_t> v) {
  append(path, H5T_NATIVE_INT64, v.size(), v.data());
}
void Hdf5Writer::append(const std::string& path, std::span<const std::int32_t> v) {
  append(path, H5T_NATIVE_INT32, v.size(), v.data());
}
void Hdf5Writer::append(const std::string& path, std::span<const std::uint64_t> v) {
  append(path, H5T_NATIVE_UINT64, v.size(), v.data());
}
void Hdf5Writer::append(const std::string& path, std::span<const std::uint8_t> v) {
  append(path, H5T_NATIVE_UINT8, v.size(), v.data());
}

void Hdf5Writer::flush() {
  if (H5Fflush(file_.get(), H5F_SCOPE_GLOBAL) < 0) fail_write("/");
}

void Hdf5Writer::write_texts(const std::string& path, std::span<const std::string> texts) {
  std::size_t length = 1;
  for (const std::string& text : texts) length = std::max(length, text.size());
  std::string bytes;
  for (const std::string& text : texts) bytes += text, bytes.append(length - text.size(), '\0');
  const hsize_t extent[1] = {texts.size()};
  const Hdf5Handle type = text_type(length), space(H5Screate_simple(1, extent, nullptr), H5Sclose),
                   plist(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  H5Pset_obj_track_times(plist.get(), false);
  const Hdf5Handle dataset(
      H5Dcreate2(file_.get(), path.c_str(), type.get(), space.get(), H5P_DEFAULT, plist.get(), H5P_DEFAULT), H5Dclose);
  if (!dataset.valid()) fail_write(path);
  if (!texts.empty() && H5Dwrite(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()) < 0)
    fail_write(path);
}

void Hdf5Writer::attribute(const std::string& group, const std::string& name, const std::string& text) {
  const Hdf5Handle type = text_type(text.size()), space(H5Screate(H5S_SCALAR), H5Sclose);
  const Hdf5Handle attribute(H5Acreate_by_name(file_.get(), group.c_str(), name.c_str(), type.get(), space.get(),
                                               H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                             H5Aclose);
  const std::string bytes = text.empty() ? std::string(1, '\0') : text;
  if (!attribute.valid() || H5Awrite(attribute.get(), type.get(), bytes.data()) < 0) fail_write(group + "@" + name);
}

void Hdf5Writer::attribute(const std::string& group, const std::string& name, double value) {
  const Hdf5Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  const Hdf5Handle attribute(H5Acreate_by_name(file_.get(), group.c_str(), name.c_str(), H5T_IEEE_F64LE, space.get(),
                                               H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                             H5Aclose);
  if (!attribute.valid() || H5Awrite(attribute.get(), H5T_NATIVE_DOUBLE, &value) < 0) fail_write(group + "@" + name);
}

std::vector<std::int64_t> Hdf5Reader::shape(const std::string& path) const {
  return open_dataset(path, kMostRank).extents;
}

void Hdf5Reader::read_table(const std::string& path, const TableRows& rows, const TableType& type, void* data) const {
  const auto& [row, first, count] = rows;
  const bool integers = type.integers;
  const Dataset dataset = open_dataset(path, kMostRank);
  const std::vector<std::int64_t>& extents = dataset.extents;
  if (extents.size() != row.size() + 1 || !std::equal(row.begin(), row.end(), extents.begin() + 1))
    fail_input(fmt::format("{} has rows of another shape than expected", path));
  if (first < 0 || count < 0 || first > extents[0] || count > extents[0] - first)
    fail_input(fmt::format("{} has {} rows, not {} from {} on", path, extents[0], count, first));
  if (H5Tget_class(dataset.type.get()) != (integers ? H5T_INTEGER : H5T_FLOAT) || H5Tget_size(dataset.type.get()) > 8)
    fail_input(fmt::format("{} must hold {}", path, integers ? "integers" : "floating-point numbers"));
  if (count == 0 || entries_of(row) == 0) return;
  hsize_t start[kMostRank] = {static_cast<hsize_t>(first)}, size[kMostRank] = {static_cast<hsize_t>(count)};
  for (std::size_t k = 0; k < row.size(); ++k) size[k + 1] = static_cast<hsize_t>(row[k]);
  const Hdf5Handle memory(H5Screate_simple(static_cast<int>(extents.size()), size, nullptr), H5Sclose);
  const Hdf5Handle space(H5Dget_space(dataset.id.get()), H5Sclose);
  H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, start, nullptr, size, nullptr);
  if (H5Dread(dataset.id.get(), type.memory_type, memory.get(), space.get(), H5P_DEFAULT, data) < 0)
    fail_input(fmt::format("{}: its rows cannot be read: the file is truncated or damaged", path));
}

namespace {

/// Room for rows, within the limit of one read.
template <class T>
void* make_room(std::vector<T>& out, const std::string& path, std::span<const std::int64_t> row, std::int64_t count) {
  const std::int64_t width = entries_of(row);
  if (count < 0 || width < 0 || (width > 0 && count > kMaxArrayEntries / width))
    fail_input(
        fmt::format("{}: {} rows of {} are more than {}, read fewer at once", path, count, width, kMaxArrayEntries),
        ErrorKind::limit);
  out.assign(to_index(count * width), T{});
  return out.data();
}

}  // namespace

void Hdf5Reader::read_rows(const std::string& path, std::span<const std::int64_t> row, std::int64_t first,
                           std::int64_t count, std::vector<double>& out) const {
  read_table(path, {row, first, count}, {false, H5T_NATIVE_DOUBLE}, make_room(out, path, row, count));
}
void Hdf5Reader::read_rows(const std::string& path, std::span<const std::int64_t> row, std::int64_t first,
                           std::int64_t count, std::vector<std::int64_t>& out) const {
  read_table(path, {row, first, count}, {true, H5T_NATIVE_INT64}, make_room(out, path, row, count));
}
void Hdf5Reader::read_rows(const std::string& path, std::span<const std::int64_t> row, std::int64_t first,
                           std::int64_t count, std::vector<std::uint64_t>& out) const {
  read_table(path, {row, first, count}, {true, H5T_NATIVE_UINT64}, make_room(out, path, row, count));
}

std::string Hdf5Reader::read_bytes(const std::string& path) const {
  const std::vector<std::int64_t> extents = shape(path);
  if (extents.size() != 1 || extents[0] > kMaxArrayEntries) fail_input(fmt::format("{} must be a list of bytes", path));
  std::string bytes(to_index(extents[0]), '\0');
  read_table(path, {{}, 0, extents[0]}, {true, H5T_NATIVE_UINT8}, bytes.data());
  return bytes;
}

std::vector<std::string> Hdf5Reader::read_texts(const std::string& path) const {
  const Dataset dataset = open_dataset(path);
  if (H5Tget_class(dataset.type.get()) != H5T_STRING || H5Tis_variable_str(dataset.type.get()) != 0)
    fail_input(fmt::format("{} must hold strings of one length", path));
  const std::size_t length = H5Tget_size(dataset.type.get());
  if (length > to_index(kMaxArrayEntries / std::max<std::int64_t>(dataset.count, 1)))
    fail_input(fmt::format("{} holds more text than the limit of {} bytes", path, kMaxArrayEntries), ErrorKind::limit);
  std::string bytes(length * to_index(dataset.count), '\0');
  read(dataset, path, dataset.count, dataset.type.get(), bytes.data());
  std::vector<std::string> texts;
  for (std::size_t k = 0; k < to_index(dataset.count); ++k) {
    const std::string text = bytes.substr(k * length, length);
    texts.push_back(text.substr(0, text.find('\0')));
  }
  return texts;
}

bool Hdf5Reader::has_attribute(const std::string& group, const std::string& name) const {
  if (group != "/") require_group(group);
  return H5Aexists_by_name(file_.get(), group.c_str(), name.c_str(), H5P_DEFAULT) > 0;
}

Hdf5Handle Hdf5Reader::open_attribute(const std::string& group, const std::string& name) const {
  if (!has_attribute(group, name)) fail_input(fmt::format("{}: the attribute {} is missing", group, name));
  Hdf5Handle attribute(H5Aopen_by_name(file_.get(), group.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  if (!attribute.valid()) fail_input(fmt::format("{}: the attribute {} is damaged", group, name));
  const Hdf5Handle space(H5Aget_space(attribute.get()), H5Sclose);
  if (H5Sget_simple_extent_npoints(space.get()) != 1)
    fail_input(fmt::format("{}: the attribute {} must be one value", group, name));
  return attribute;
}

std::string Hdf5Reader::text_attribute(const std::string& group, const std::string& name) const {
  const Hdf5Handle attribute = open_attribute(group, name), type(H5Aget_type(attribute.get()), H5Tclose);
  const std::size_t length = H5Tget_size(type.get());
  if (H5Tget_class(type.get()) != H5T_STRING || H5Tis_variable_str(type.get()) != 0 ||
      length > to_index(kMaxArrayEntries))
    fail_input(fmt::format("{}: the attribute {} must be a string of fixed length", group, name));
  std::string text(length, '\0');
  if (H5Aread(attribute.get(), type.get(), text.data()) < 0)
    fail_input(fmt::format("{}: the attribute {} is damaged", group, name));
  return text.substr(0, text.find('\0'));
}

double Hdf5Reader::number_attribute(const std::string& group, const std::string& name) const {
  const Hdf5Handle attribute = open_attribute(group, name), type(H5Aget_type(attribute.get()), H5Tclose);
  double value = 0;
  if (H5Tget_class(type.get()) != H5T_FLOAT || H5Aread(attribute.get(), H5T_NATIVE_DOUBLE, &value) < 0)
    fail_input(fmt::format("{}: the attribute {} must be a number", group, name));
  return value;
}

}  // namespace cairn
