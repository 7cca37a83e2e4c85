// SPDX-License-Identifier: MIT
// A thin layer over HDF5's C interface that trusts nothing: the only files that name it are
// hdf5.cpp and hdf5_table.cpp.
//
// Reading: every link on the way must be a hard link, every dataset must hold its data itself (no external file, no
// virtual source) behind filters that HDF5 brings along, and rank, type class and extent are checked before anything
// is allocated. So no other file is ever opened and no declared size is believed. Failures throw InputError with the
// path of the dataset; the caller adds the name of the file.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace cairn {

/// Limits on what a file may declare. Far above published problems (10^5 contacts), far below what harms a machine.
inline constexpr std::int64_t kMaxArrayEntries = std::int64_t{1} << 28;  ///< per dataset
inline constexpr std::int64_t kMaxMatrixRows = std::int64_t{1} << 27;    ///< rows or columns
inline constexpr std::int64_t kMaxTextBytes = std::int64_t{1} << 20;     ///< title, description
inline constexpr int kMostRank = 4;                                      ///< of tables
inline constexpr std::int64_t kMaxExpansion = 2048;  ///< bytes of data per byte of file; deflate reaches 1032

/// Owns an HDF5 identifier (hid_t, which is 64 bits wide).
class Hdf5Handle {
 public:
  using Close = int (*)(std::int64_t);
  Hdf5Handle() = default;
  Hdf5Handle(std::int64_t id, Close close) : id_(id), close_(close) {}
  Hdf5Handle(Hdf5Handle&& other) noexcept : id_(other.id_), close_(other.close_) { other.id_ = -1; }
  Hdf5Handle& operator=(Hdf5Handle&& other) noexcept;
  ~Hdf5Handle() { reset(); }

  bool valid() const { return id_ >= 0; }
  std::int64_t get() const { return id_; }
  /// Closes now; false when HDF5 reports that closing failed (for a written file: the data may not be complete).
  bool reset();

 private:
  std::int64_t id_ = -1;
  Close close_ = nullptr;
};

/// While it lives HDF5 prints nothing and loads no filter plugins; then both are as they were before. What is printed
/// is decided by each thread for itself.
class Hdf5Quiet {
 public:
  Hdf5Quiet();
  ~Hdf5Quiet();
  Hdf5Quiet(const Hdf5Quiet&) = delete;
  Hdf5Quiet& operator=(const Hdf5Quiet&) = delete;

 private:
  void* print_function_ = nullptr;
  void* print_data_ = nullptr;
  unsigned plugins_ = 0;
};

/// A file opened read-only. Paths are absolute: "/fclib_local/W/m".
class Hdf5Reader {
 public:
  explicit Hdf5Reader(const std::string& file);

  /// Whether there is an object at `path`; false as well where a group on the way is missing. Throws at links that are
  /// not hard.
  bool has(const std::string& path) const;
  void require_group(const std::string& path) const;

  /// Entries of a dataset of rank 1 (or of a scalar: 1), with every check but its type and content.
  std::int64_t extent(const std::string& path) const;

  std::int64_t read_int(const std::string& path) const;
  std::vector<std::int64_t> read_ints(const std::string& path, std::int64_t count) const;
  /// The first `count` entries; a longer dataset is an error unless `prefix` (FCLIB sizes arrays by nzmax).
  std::vector<double> read_doubles(const std::string& path, std::int64_t count, bool prefix = false) const;
  std::vector<std::int64_t> read_indices(const std::string& path, std::int64_t count, bool prefix) const;
  std::string read_text(const std::string& path) const;

  // Tables: datasets of any rank up to kMostRank, by rows.
  /// Extents, rows first.
  std::vector<std::int64_t> shape(const std::string& path) const;
  /// Rows first to first + count of a table whose other extents are `row`; another shape or type is an error.
  void read_rows(const std::string& path, std::span<const std::int64_t> row, std::int64_t first, std::int64_t count,
                 std::vector<double>& out) const;
  void read_rows(const std::string& path, std::span<const std::int64_t> row, std::int64_t first, std::int64_t count,
                 std::vector<std::int64_t>& out) const;
  void read_rows(const std::string& path, std::span<const std::int64_t> row, std::int64_t first, std::int64_t count,
                 std::vector<std::uint64_t>& out) const;
  std::string read_bytes(const std::string& path) const;  ///< a table of bytes
  std::vector<std::string> read_texts(const std::string& path) const;
  /// Attributes of a group; "/" for the file.
  bool has_attribute(const std::string& group, const std::string& name) const;
  std::string text_attribute(const std::string& group, const std::string& name) const;
  double number_attribute(const std::string& group, const std::string& name) const;

 private:
  struct Dataset {
    Hdf5Handle id, type;
    std::vector<std::int64_t> extents;
    std::int64_t count = 0;  ///< product of the extents
    std::int64_t chunk = 0;  ///< entries per chunk; 0 without chunks
  };
  Dataset open_dataset(const std::string& path, int most_rank = 1) const;
  /// Rows first to first + count of a table, each of the given shape.
  struct TableRows {
    std::span<const std::int64_t> row;
    std::int64_t first = 0, count = 0;
  };
  struct TableType {
    bool integers = false;
    std::int64_t memory_type = 0;
  };
  void read_table(const std::string& path, const TableRows& rows, const TableType& type, void* data) const;
  Hdf5Handle open_attribute(const std::string& group, const std::string& name) const;
  void check_storage(const Dataset& dataset, const std::string& path) const;
  void read(const Dataset& dataset, const std::string& path, std::int64_t count, std::int64_t memory_type,
            void* data) const;
  void check_count(const Dataset& dataset, const std::string& path, std::int64_t count, bool prefix) const;

  Hdf5Quiet quiet_;
  std::int64_t file_bytes_ = 0;
  Hdf5Handle file_;
};

/// A new file; the name must not exist. Times are not recorded, so equal content gives equal bytes.
class Hdf5Writer {
 public:
  explicit Hdf5Writer(const std::string& file);

  void group(const std::string& path);
  void write(const std::string& path, std::span<const double> values);
  void write(const std::string& path, std::span<const std::int32_t> values);
  void write(const std::string& path, std::int32_t value) { write(path, std::span<const std::int32_t>(&value, 1)); }
  void write_text(const std::string& path, const std::string& text);
  void write_texts(const std::string& path, std::span<const std::string> texts);
  void attribute(const std::string& group, const std::string& name, const std::string& text);
  void attribute(const std::string& group, const std::string& name, double value);

  /// A table that grows by rows: `row` are the extents of one row (empty: one number), `chunk_rows` how many are
  /// compressed together.
  enum class Type { f64, i64, i32, u64, u8 };
  void create_table(const std::string& path, Type type, std::vector<std::int64_t> row, std::int64_t chunk_rows);
  void append(const std::string& path, std::span<const double> values);
  void append(const std::string& path, std::span<const std::int64_t> values);
  void append(const std::string& path, std::span<const std::int32_t> values);
  void append(const std::string& path, std::span<const std::uint64_t> values);
  void append(const std::string& path, std::span<const std::uint8_t> values);
  /// What was appended so far can be read after a crash.
  void flush();
  /// Everything is on its way to the disk, or this throws.
  void close();

 private:
  void write(const std::string& path, std::int64_t file_type, std::int64_t memory_type, std::size_t count,
             const void* data);
  void append(const std::string& path, std::int64_t memory_type, std::size_t count, const void* data);

  struct Table {
    Hdf5Handle id;
    std::vector<std::int64_t> row;
    std::int64_t rows = 0;
  };

  Hdf5Quiet quiet_;
  Hdf5Handle file_;
  std::map<std::string, Table> tables_;
};

}  // namespace cairn
