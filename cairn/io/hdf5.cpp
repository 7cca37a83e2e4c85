// SPDX-License-Identifier: MIT
#include "cairn/io/hdf5.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <hdf5.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <type_traits>
#include <utility>

#include "cairn/core/errors.h"
#include "cairn/core/index.h"

namespace cairn {

static_assert(std::is_same_v<hid_t, std::int64_t>, "Cairn needs HDF5 1.10 or newer");

namespace {

constexpr std::int64_t kMostTableEntries = std::int64_t{1} << 40;  ///< of all rows; each read is of a few

/// Checks what can be checked without HDF5, so that the message can say what is wrong. Returns the size in bytes.
std::int64_t check_file(const std::string& file) {
  struct stat info {};
  if (::stat(file.c_str(), &info) != 0)
    fail_input(fmt::format("cannot be opened: {}", std::strerror(errno)), ErrorKind::io);
  if (!S_ISREG(info.st_mode)) fail_input("is not a regular file", ErrorKind::io);
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) fail_input(fmt::format("cannot be opened: {}", std::strerror(errno)), ErrorKind::io);
  const bool locked = ::flock(descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  ::close(descriptor);
  if (locked) fail_input("is locked: another program is writing it; try again when it has finished", ErrorKind::io);
  if (info.st_size == 0) fail_input("is empty (0 bytes), expected an HDF5 file");
  return info.st_size;
}

/// The part of an absolute path up to its k-th component, for messages.
std::vector<std::string> prefixes(const std::string& path) {
  std::vector<std::string> result;
  for (std::size_t slash = path.find('/', 1); slash != std::string::npos; slash = path.find('/', slash + 1))
    result.push_back(path.substr(0, slash));
  result.push_back(path);
  return result;
}

/// True when the link exists and is hard; throws for soft and external links, which could loop or name another file.
bool hard_link_exists(hid_t file, const std::string& path) {
  const htri_t exists = H5Lexists(file, path.c_str(), H5P_DEFAULT);
  if (exists < 0) fail_input(fmt::format("{} cannot be looked up: the file is damaged", path));
  if (exists == 0) return false;
  H5L_info_t info{};
  if (H5Lget_info(file, path.c_str(), &info, H5P_DEFAULT) < 0)
    fail_input(fmt::format("{} cannot be looked up: the file is damaged", path));
  if (info.type != H5L_TYPE_HARD)
    fail_input(fmt::format("{} is {} link; only data inside the file itself is read, so store a copy there", path,
                           info.type == H5L_TYPE_SOFT       ? "a soft"
                           : info.type == H5L_TYPE_EXTERNAL ? "an external"
                                                            : "a user-defined"));
  return true;
}

Hdf5Handle open_object(hid_t file, const std::string& path) {
  for (const std::string& prefix : prefixes(path)) {
    if (!hard_link_exists(file, prefix)) fail_input(fmt::format("{} is missing", prefix));
    if (prefix.size() == path.size()) break;
    Hdf5Handle group(H5Oopen(file, prefix.c_str(), H5P_DEFAULT), H5Oclose);
    if (!group.valid()) fail_input(fmt::format("{} cannot be opened: the file is damaged", prefix));
    if (H5Iget_type(group.get()) != H5I_GROUP) fail_input(fmt::format("{} must be a group", prefix));
  }
  Hdf5Handle object(H5Oopen(file, path.c_str(), H5P_DEFAULT), H5Oclose);
  if (!object.valid()) fail_input(fmt::format("{} cannot be opened: the file is damaged", path));
  return object;
}

void check_filters(hid_t plist, const std::string& path) {
  const int count = H5Pget_nfilters(plist);
  if (count < 0) fail_input(fmt::format("{}: its filters cannot be read: the file is damaged", path));
  for (int k = 0; k < count; ++k) {
    unsigned flags = 0, config = 0;
    std::size_t values = 0;
    const H5Z_filter_t filter =
        H5Pget_filter2(plist, static_cast<unsigned>(k), &flags, &values, nullptr, 0, nullptr, &config);
    constexpr std::array<H5Z_filter_t, 5> kBuiltIn{H5Z_FILTER_DEFLATE, H5Z_FILTER_SHUFFLE, H5Z_FILTER_FLETCHER32,
                                                   H5Z_FILTER_NBIT, H5Z_FILTER_SCALEOFFSET};
    if (std::find(kBuiltIn.begin(), kBuiltIn.end(), filter) == kBuiltIn.end())
      fail_input(fmt::format("{} uses filter {}, which would load a plugin; store it plain or with gzip", path,
                             static_cast<int>(filter)),
                 ErrorKind::unsupported);
  }
}

/// Entries of a chunk; none of its sides may be 0 and the whole not above the limit.
std::int64_t product(std::span<const hsize_t> sides, const std::string& path, const char* what) {
  hsize_t entries = 1;
  for (const hsize_t side : sides) {
    if (side == 0 || side > static_cast<hsize_t>(kMaxArrayEntries) / entries)
      fail_input(fmt::format("{} {} {} entries, expected 1 to {}", path, what, side, kMaxArrayEntries));
    entries *= side;
  }
  return static_cast<std::int64_t>(entries);
}

/// Refuses data that lives elsewhere. Must be asked before the extent: a virtual dataset opens its sources for that.
/// Returns the entries of a chunk, which HDF5 takes memory for as a whole; 0 without chunks.
std::int64_t check_layout(hid_t plist, const std::string& path, int most_rank) {
  const H5D_layout_t layout = H5Pget_layout(plist);
  if (layout == H5D_VIRTUAL)
    fail_input(fmt::format("{} is a virtual dataset; only data inside the file itself is read", path));
  if (layout != H5D_COMPACT && layout != H5D_CONTIGUOUS && layout != H5D_CHUNKED)
    fail_input(fmt::format("{}: its layout cannot be read: the file is damaged", path));
  if (H5Pget_external_count(plist) != 0)
    fail_input(fmt::format("{} keeps its data in an external file; only data inside the file itself is read", path));
  if (layout != H5D_CHUNKED) return 0;
  hsize_t chunk[kMostRank] = {};
  const int rank = H5Pget_chunk(plist, kMostRank, chunk);
  if (rank < 1 || rank > most_rank)
    fail_input(fmt::format("{} has chunks of rank {}, expected {}", path, rank, most_rank));
  return product({chunk, to_index(rank)}, path, "has chunks of");
}

std::vector<std::int64_t> extents_of(hid_t dataset, const std::string& path, int most_rank) {
  const Hdf5Handle space(H5Dget_space(dataset), H5Sclose);
  if (!space.valid()) fail_input(fmt::format("{}: its extent cannot be read: the file is damaged", path));
  const H5S_class_t kind = H5Sget_simple_extent_type(space.get());
  if (kind == H5S_SCALAR) return {};
  const int rank = H5Sget_simple_extent_ndims(space.get());
  if (kind != H5S_SIMPLE || rank < 1 || rank > most_rank)
    fail_input(fmt::format("{} has rank {}, expected {}", path, rank, most_rank));
  hsize_t extent[kMostRank] = {};
  if (H5Sget_simple_extent_dims(space.get(), extent, nullptr) != rank)
    fail_input(fmt::format("{}: its extent cannot be read: the file is damaged", path));
  std::vector<std::int64_t> result;
  for (int k = 0; k < rank; ++k) {
    if (extent[k] > static_cast<hsize_t>(kMaxArrayEntries))
      fail_input(fmt::format("{} declares {} entries, the limit is {}", path, extent[k], kMaxArrayEntries),
                 ErrorKind::limit);
    result.push_back(static_cast<std::int64_t>(extent[k]));
  }
  return result;
}

Hdf5Handle untimed(hid_t plist_class) {
  Hdf5Handle plist(H5Pcreate(plist_class), H5Pclose);
  H5Pset_obj_track_times(plist.get(), false);
  return plist;
}

[[noreturn]] void fail_write(const std::string& path) {
  fail_input(fmt::format("{} cannot be written: is the disk full?", path), ErrorKind::io);
}

}  // namespace

Hdf5Handle& Hdf5Handle::operator=(Hdf5Handle&& other) noexcept {
  std::swap(id_, other.id_);
  std::swap(close_, other.close_);
  return *this;
}

bool Hdf5Handle::reset() {
  const bool good = id_ < 0 || close_(id_) >= 0;
  id_ = -1;
  return good;
}

Hdf5Quiet::Hdf5Quiet() {
  // HDF5 1.10 crashes when the program ends after a file could not be written (full disk): it must not clean up by
  // itself. Counts only if no other part of the program has used HDF5 before. We close what we open.
  H5dont_atexit();
  H5E_auto2_t print = nullptr;
  H5Eget_auto2(H5E_DEFAULT, &print, &print_data_);
  print_function_ = reinterpret_cast<void*>(print);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  H5PLget_loading_state(&plugins_);
  H5PLset_loading_state(0);
}

Hdf5Quiet::~Hdf5Quiet() {
  H5PLset_loading_state(plugins_);
  H5Eset_auto2(H5E_DEFAULT, reinterpret_cast<H5E_auto2_t>(print_function_), print_data_);
}

Hdf5Reader::Hdf5Reader(const std::string& file) : file_bytes_(check_file(file)) {
  const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  // The plain file driver, whatever the environment asks for; locks are ignored where the file system has none.
  H5Pset_fapl_sec2(access.get());
  H5Pset_file_locking(access.get(), true, true);
  if (H5Fis_hdf5(file.c_str()) <= 0) fail_input("is not an HDF5 file");
  file_ = Hdf5Handle(H5Fopen(file.c_str(), H5F_ACC_RDONLY, access.get()), H5Fclose);
  if (!file_.valid()) fail_input("is an HDF5 file that cannot be opened: truncated, damaged or still being written");
}

bool Hdf5Reader::has(const std::string& path) const {
  for (const std::string& prefix : prefixes(path)) {
    if (!hard_link_exists(file_.get(), prefix)) return false;
    if (prefix.size() == path.size()) break;
    const Hdf5Handle object(H5Oopen(file_.get(), prefix.c_str(), H5P_DEFAULT), H5Oclose);
    if (!object.valid() || H5Iget_type(object.get()) != H5I_GROUP)
      fail_input(fmt::format("{} must be a group", prefix));
  }
  return true;
}

void Hdf5Reader::require_group(const std::string& path) const {
  const Hdf5Handle object = open_object(file_.get(), path);
  if (H5Iget_type(object.get()) != H5I_GROUP) fail_input(fmt::format("{} must be a group", path));
}

Hdf5Reader::Dataset Hdf5Reader::open_dataset(const std::string& path, int most_rank) const {
  Dataset result;
  result.id = open_object(file_.get(), path);
  if (H5Iget_type(result.id.get()) != H5I_DATASET) fail_input(fmt::format("{} must be a dataset", path));
  {
    const Hdf5Handle plist(H5Dget_create_plist(result.id.get()), H5Pclose);
    if (!plist.valid()) fail_input(fmt::format("{} cannot be opened: the file is damaged", path));
    result.chunk = check_layout(plist.get(), path, most_rank);
    check_filters(plist.get(), path);
  }
  result.extents = extents_of(result.id.get(), path, most_rank);
  result.count = 1;
  for (const std::int64_t extent : result.extents) {
    if (extent > 0 && result.count > kMostTableEntries / extent)
      fail_input(fmt::format("{} declares more than {} entries, which is the limit", path, kMostTableEntries),
                 ErrorKind::limit);
    result.count *= extent;
  }
  result.type = Hdf5Handle(H5Dget_type(result.id.get()), H5Tclose);
  if (!result.type.valid()) fail_input(fmt::format("{}: its type cannot be read: the file is damaged", path));
  check_storage(result, path);
  return result;
}

/// A file cannot hold more than its own size times the best compression: what declares more is damaged or a trap.
void Hdf5Reader::check_storage(const Dataset& dataset, const std::string& path) const {
  const std::size_t entry = H5Tget_size(dataset.type.get());
  if (entry == 0 || entry > to_index(kMaxTextBytes))
    fail_input(fmt::format("{} has entries of {} bytes, expected 1 to {}", path, entry, kMaxTextBytes));
  const auto declared = std::max(dataset.count, dataset.chunk) * static_cast<std::int64_t>(entry);  // below 2^28 * 2^20
  if (declared / kMaxExpansion > file_bytes_)
    fail_input(fmt::format("{} declares {} bytes, more than a file of {} bytes can hold", path, declared, file_bytes_));
}

std::int64_t Hdf5Reader::extent(const std::string& path) const { return open_dataset(path).count; }

void Hdf5Reader::read(const Dataset& dataset, const std::string& path, std::int64_t count, std::int64_t memory_type,
                      void* data) const {
  if (count == 0) return;
  const hsize_t size[1] = {static_cast<hsize_t>(count)}, start[1] = {0};
  const Hdf5Handle memory(H5Screate_simple(1, size, nullptr), H5Sclose);
  const Hdf5Handle space(H5Dget_space(dataset.id.get()), H5Sclose);
  if (H5Sget_simple_extent_type(space.get()) == H5S_SIMPLE)
    H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, start, nullptr, size, nullptr);
  if (H5Dread(dataset.id.get(), memory_type, memory.get(), space.get(), H5P_DEFAULT, data) < 0)
    fail_input(fmt::format("{}: its {} entries cannot be read: the file is truncated or damaged", path, count));
}

void Hdf5Reader::check_count(const Dataset& dataset, const std::string& path, std::int64_t count, bool prefix) const {
  if (dataset.count == count || (prefix && dataset.count > count)) return;
  fail_input(fmt::format("{} has {} entries, expected {}{}", path, dataset.count, prefix ? "at least " : "", count));
}

std::int64_t Hdf5Reader::read_int(const std::string& path) const { return read_indices(path, 1, false)[0]; }

std::vector<std::int64_t> Hdf5Reader::read_ints(const std::string& path, std::int64_t count) const {
  return read_indices(path, count, false);
}

std::vector<std::int64_t> Hdf5Reader::read_indices(const std::string& path, std::int64_t count, bool prefix) const {
  const Dataset dataset = open_dataset(path);
  if (H5Tget_class(dataset.type.get()) != H5T_INTEGER || H5Tget_size(dataset.type.get()) > 8)
    fail_input(fmt::format("{} must hold integers", path));
  check_count(dataset, path, count, prefix);
  std::vector<std::int64_t> values(to_index(count));
  read(dataset, path, count, H5T_NATIVE_INT64, values.data());
  return values;
}

std::vector<double> Hdf5Reader::read_doubles(const std::string& path, std::int64_t count, bool prefix) const {
  const Dataset dataset = open_dataset(path);
  if (H5Tget_class(dataset.type.get()) != H5T_FLOAT || H5Tget_size(dataset.type.get()) > 8)
    fail_input(fmt::format("{} must hold floating-point numbers of 32 or 64 bits", path));
  check_count(dataset, path, count, prefix);
  std::vector<double> values(to_index(count));
  read(dataset, path, count, H5T_NATIVE_DOUBLE, values.data());
  return values;
}

std::string Hdf5Reader::read_text(const std::string& path) const {
  const Dataset dataset = open_dataset(path);
  if (H5Tget_class(dataset.type.get()) != H5T_STRING || dataset.count != 1)
    fail_input(fmt::format("{} must hold one string", path));
  if (H5Tis_variable_str(dataset.type.get()) > 0) {
    char* text = nullptr;
    const Hdf5Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
    H5Tset_size(type.get(), H5T_VARIABLE);
    H5Tset_cset(type.get(), H5Tget_cset(dataset.type.get()));
    read(dataset, path, 1, type.get(), &text);
    const std::string result(text == nullptr ? "" : text, text == nullptr ? 0 : strnlen(text, kMaxTextBytes));
    H5free_memory(text);
    return result;
  }
  std::string text(H5Tget_size(dataset.type.get()), '\0');
  read(dataset, path, 1, dataset.type.get(), text.data());
  return text.substr(0, text.find('\0'));
}

Hdf5Writer::Hdf5Writer(const std::string& file) {
  const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_fapl_sec2(access.get());
  H5Pset_file_locking(access.get(), true, true);
  file_ = Hdf5Handle(H5Fcreate(file.c_str(), H5F_ACC_EXCL, H5P_DEFAULT, access.get()), H5Fclose);
  if (!file_.valid())
    fail_input("cannot be created: does the folder exist, and may files be written there?", ErrorKind::io);
}

void Hdf5Writer::group(const std::string& path) {
  const Hdf5Handle plist = untimed(H5P_GROUP_CREATE);
  if (!Hdf5Handle(H5Gcreate2(file_.get(), path.c_str(), H5P_DEFAULT, plist.get(), H5P_DEFAULT), H5Gclose).valid())
    fail_write(path);
}

void Hdf5Writer::write(const std::string& path, std::int64_t file_type, std::int64_t memory_type, std::size_t count,
                       const void* data) {
  const hsize_t extent[1] = {count};
  const Hdf5Handle plist = untimed(H5P_DATASET_CREATE), space(H5Screate_simple(1, extent, nullptr), H5Sclose);
  const Hdf5Handle dataset(
      H5Dcreate2(file_.get(), path.c_str(), file_type, space.get(), H5P_DEFAULT, plist.get(), H5P_DEFAULT), H5Dclose);
  if (!dataset.valid()) fail_write(path);
  if (count > 0 && H5Dwrite(dataset.get(), memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0) fail_write(path);
}

void Hdf5Writer::write(const std::string& path, std::span<const double> values) {
  write(path, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, values.size(), values.data());
}

void Hdf5Writer::write(const std::string& path, std::span<const std::int32_t> values) {
  write(path, H5T_STD_I32LE, H5T_NATIVE_INT32, values.size(), values.data());
}

void Hdf5Writer::write_text(const std::string& path, const std::string& text) {
  const Hdf5Handle type(H5Tcopy(H5T_C_S1), H5Tclose), space(H5Screate(H5S_SCALAR), H5Sclose);
  const Hdf5Handle plist = untimed(H5P_DATASET_CREATE);
  H5Tset_size(type.get(), text.size() + 1);
  const Hdf5Handle dataset(
      H5Dcreate2(file_.get(), path.c_str(), type.get(), space.get(), H5P_DEFAULT, plist.get(), H5P_DEFAULT), H5Dclose);
  if (!dataset.valid() || H5Dwrite(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, text.c_str()) < 0)
    fail_write(path);
}

void Hdf5Writer::close() {
  for (auto& [path, table] : tables_)
    if (!table.id.reset()) fail_write(path);
  const bool flushed = H5Fflush(file_.get(), H5F_SCOPE_GLOBAL) >= 0;
  if (!file_.reset() || !flushed) fail_write("/");
}

}  // namespace cairn
