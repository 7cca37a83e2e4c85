// SPDX-License-Identifier: MIT
#include "apps/compare/still.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "cairn/core/errors.h"
#include "cairn/core/index.h"

namespace cairn::cli {
namespace {

/// Axes of the picture: right, up, and from the picture towards the eye.
struct Axes {
  Vec3 back = normalised(Vec3{0.6, -1, 0.45});
  Vec3 right = normalised(cross(Vec3{0, 0, 1}, back));
  Vec3 up = cross(back, right);
};

/// A corner in pixels, x to the right and y down, and how near it is to the eye.
struct Corner {
  double x, y, near;
};

/// The pixels, and for each how near what it shows is.
class Canvas {
 public:
  Canvas() : near_(kSize, -std::numeric_limits<double>::infinity()), pixels(kSize, '\0') {}

  void fill(const std::array<Corner, 3>& t, char colour);

 private:
  static constexpr std::size_t kSize = std::size_t{kStillWidth} * kStillHeight;
  std::vector<double> near_;

 public:
  std::string pixels;
};

/// Every pixel whose centre is inside, by barycentric coordinates; the near one wins.
void Canvas::fill(const std::array<Corner, 3>& t, char colour) {
  const double area = (t[1].x - t[0].x) * (t[2].y - t[0].y) - (t[2].x - t[0].x) * (t[1].y - t[0].y);
  if (!(std::abs(area) > 1e-12) || !std::isfinite(area)) return;
  const auto [left, right] = std::minmax({t[0].x, t[1].x, t[2].x});
  const auto [top, bottom] = std::minmax({t[0].y, t[1].y, t[2].y});
  const auto pixel = [](double place, int most) { return static_cast<int>(std::clamp<double>(place, 0, most)); };
  for (int y = pixel(std::floor(top), kStillHeight); y < pixel(std::ceil(bottom) + 1, kStillHeight); ++y)
    for (int x = pixel(std::floor(left), kStillWidth); x < pixel(std::ceil(right) + 1, kStillWidth); ++x) {
      const double px = x + 0.5 - t[0].x, py = y + 0.5 - t[0].y;
      const double b = (px * (t[2].y - t[0].y) - (t[2].x - t[0].x) * py) / area;
      const double c = ((t[1].x - t[0].x) * py - px * (t[1].y - t[0].y)) / area;
      if (b < 0 || c < 0 || b + c > 1) continue;
      const double near = t[0].near + b * (t[1].near - t[0].near) + c * (t[2].near - t[0].near);
      const std::size_t at = to_index(y) * kStillWidth + to_index(x);
      if (near > near_[at]) near_[at] = near, pixels[at] = colour;
    }
}

/// Ends of what lies within Tukey's fences, 1.5 times the distance of the quartiles beyond them, and `slack` more.
std::pair<double, double> inner_range(std::vector<double> values, double slack) {
  std::sort(values.begin(), values.end());
  const double low = values[values.size() / 4], high = values[(3 * values.size() - 1) / 4];
  const double reach = 1.5 * (high - low) + slack;
  const auto first = std::lower_bound(values.begin(), values.end(), low - reach);
  const auto last = std::upper_bound(values.begin(), values.end(), high + reach);
  return {*first, *std::prev(last)};
}

// PNG (RFC 2083) with a palette; its data as stored blocks (RFC 1951, 3.2.4), which need no compressor.

std::string big_endian(std::uint32_t value) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift & 0xFF);
  return bytes;
}

std::uint32_t crc32(const std::string& bytes) {
  std::uint32_t crc = 0xFFFFFFFF;
  for (const char byte : bytes) {
    crc ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ ((crc & 1) != 0 ? 0xEDB88320 : 0);
  }
  return ~crc;
}

std::uint32_t adler32(const std::string& bytes) {
  std::uint32_t a = 1, b = 0;
  for (const char byte : bytes) a = (a + static_cast<unsigned char>(byte)) % 65521, b = (b + a) % 65521;
  return b << 16 | a;
}

std::string chunk(const std::string& type, const std::string& data) {
  return big_endian(static_cast<std::uint32_t>(data.size())) + type + data + big_endian(crc32(type + data));
}

std::string zlib_stored(const std::string& data) {
  constexpr std::size_t kMost = 65535;
  std::string out = "\x78\x01";
  for (std::size_t at = 0; at < data.size(); at += kMost) {
    const std::size_t length = std::min(kMost, data.size() - at);
    out += at + length == data.size() ? '\1' : '\0';
    for (const std::size_t word : {length, ~length})
      out += static_cast<char>(word & 0xFF), out += static_cast<char>(word >> 8 & 0xFF);
    out += data.substr(at, length);
  }
  return out + big_endian(adler32(data));
}

/// The background, then every hue from dark to light.
std::string palette() {
  constexpr int kHues[kStillHues][3] = {{196, 200, 206}, {86, 150, 204},  {226, 128, 60},
                                        {64, 176, 140},  {210, 136, 178}, {232, 176, 60},
                                        {128, 196, 236}, {150, 140, 200}, {176, 130, 88}};
  std::string bytes = "\xF3\xF5\xF8";
  for (const auto& hue : kHues)
    for (int shade = 0; shade < kStillShades; ++shade)
      for (const int part : hue) bytes += static_cast<char>(part * (kStillShades + 2 * shade) / (3 * kStillShades - 2));
  return bytes;
}

}  // namespace

StillView still_view(const BodyPictures& bodies, std::span<const MotionFrame* const> frames) {
  const Axes axes;
  std::vector<double> x, y, z;
  double size = 0;
  for (std::size_t b = 0; b < bodies.surfaces.size(); ++b)
    if (bodies.moves[b])
      for (const Vec3& v : bodies.surfaces[b].vertices) size = std::max(size, norm(v));
  for (const MotionFrame* frame : frames)
    for (std::size_t b = 0; b < frame->pose.size(); ++b) {
      const Vec3& p = frame->pose[b].position;
      if (!bodies.moves[b] || !is_finite(p)) continue;
      x.push_back(dot(p, axes.right)), y.push_back(dot(p, axes.up)), z.push_back(dot(p, axes.back));
    }
  if (x.empty()) return {};
  const auto [left, right] = inner_range(x, 2 * size);
  const auto [low, high] = inner_range(y, 2 * size);
  const auto [far, near] = inner_range(z, 2 * size);
  const double aspect = static_cast<double>(kStillWidth) / kStillHeight;
  const double margin = 1.2 * size;
  const double half = std::max(0.5 * (right - left) + margin, aspect * (0.5 * (high - low) + margin));
  return {0.5 * (left + right) * axes.right + 0.5 * (low + high) * axes.up + 0.5 * (far + near) * axes.back,
          std::max(1e-6, 1.05 * half)};
}

std::string paint_still(const BodyPictures& bodies, const MotionFrame& frame, const StillView& view) {
  const Axes axes;
  const Vec3 light = normalised(0.5 * axes.back + 0.45 * axes.up - 0.35 * axes.right);
  const double scale = 0.5 * kStillWidth / view.half_width;  // pixels per m
  const auto project = [&](const Vec3& p) {
    const Vec3 d = p - view.centre;
    return Corner{0.5 * kStillWidth + scale * dot(d, axes.right), 0.5 * kStillHeight - scale * dot(d, axes.up),
                  dot(d, axes.back)};
  };
  Canvas canvas;
  for (std::size_t b = 0; b < frame.pose.size(); ++b) {
    if (!is_finite(frame.pose[b])) continue;
    const std::size_t hue = bodies.moves[b] ? 1 + b % (kStillHues - 1) : 0;
    for (const auto& triangle : bodies.surfaces[b].triangles) {
      std::array<Vec3, 3> p;
      for (std::size_t k = 0; k < 3; ++k)
        p[k] = transform(frame.pose[b], bodies.surfaces[b].vertices[to_index(triangle[k])]);
      const Vec3 across = cross(p[1] - p[0], p[2] - p[0]);
      if (dot(across, axes.back) <= 0) continue;  // seen from behind
      const double bright = 0.5 + 0.5 * dot(across, light) / norm(across);
      const std::size_t shade = static_cast<std::size_t>(std::clamp(bright * kStillShades, 0.0, kStillShades - 1.0));
      canvas.fill({project(p[0]), project(p[1]), project(p[2])}, static_cast<char>(1 + hue * kStillShades + shade));
    }
  }
  return canvas.pixels;
}

std::string still_png(const std::string& pixels) {
  CAIRN_ASSERT(pixels.size() == std::size_t{kStillWidth} * kStillHeight);
  std::string rows;
  for (std::size_t y = 0; y < kStillHeight; ++y) rows += '\0' + pixels.substr(y * kStillWidth, kStillWidth);
  const std::string head = big_endian(kStillWidth) + big_endian(kStillHeight) + std::string("\x08\x03\0\0\0", 5);
  return "\x89PNG\r\n\x1A\n" + chunk("IHDR", head) + chunk("PLTE", palette()) + chunk("IDAT", zlib_stored(rows)) +
         chunk("IEND", "");
}

std::string base64(const std::string& bytes) {
  constexpr const char* kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const auto byte = [&](std::size_t k) {
      return at + k < bytes.size() ? static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at + k])) : 0u;
    };
    const std::uint32_t word = byte(0) << 16 | byte(1) << 8 | byte(2);
    for (int digit = 0; digit < 4; ++digit) text += kDigits[word >> (18 - 6 * digit) & 63];
  }
  const std::size_t padding = (3 - bytes.size() % 3) % 3;
  return text.replace(text.size() - padding, padding, padding, '=');
}

}  // namespace cairn::cli
