// SPDX-License-Identifier: MIT
#include "cairn/narrow/collide.h"

#include <array>
#include <type_traits>
#include <utility>

#include "cairn/narrow/collide_box.h"
#include "cairn/narrow/collide_faces.h"
#include "cairn/narrow/collide_half_space.h"
#include "cairn/narrow/collide_sphere.h"
#include "cairn/narrow/collide_surface.h"

namespace cairn {

namespace {

struct Pair {
  const Shape& a;
  const Pose& pose_a;
  const Shape& b;
  const Pose& pose_b;
  double margin;
  CollideMemory& memory;
};

using Function = void (*)(const Pair&, PartManifolds&);

/// The pairs that have a function of their own, each in one order.
template <class A, class B>
constexpr auto kOwn = nullptr;
template <>
constexpr auto kOwn<Sphere, Sphere> = &collide_sphere_sphere;
template <>
constexpr auto kOwn<Sphere, Box> = &collide_sphere_box;
template <>
constexpr auto kOwn<Sphere, Capsule> = &collide_sphere_capsule;
template <>
constexpr auto kOwn<Sphere, Cylinder> = &collide_sphere_cylinder;
template <>
constexpr auto kOwn<Sphere, Cone> = &collide_sphere_cone;
template <>
constexpr auto kOwn<Sphere, ConvexHull> = &collide_sphere_hull;
template <>
constexpr auto kOwn<Capsule, Capsule> = &collide_capsule_capsule;
template <>
constexpr auto kOwn<Sphere, HalfSpace> = &collide_sphere_half_space;
template <>
constexpr auto kOwn<Box, HalfSpace> = &collide_box_half_space;
template <>
constexpr auto kOwn<Capsule, HalfSpace> = &collide_capsule_half_space;
template <>
constexpr auto kOwn<Cylinder, HalfSpace> = &collide_cylinder_half_space;
template <>
constexpr auto kOwn<Cone, HalfSpace> = &collide_cone_half_space;
template <>
constexpr auto kOwn<ConvexHull, HalfSpace> = &collide_hull_half_space;

template <class A, class B>
constexpr bool kHasOwn = !std::is_same_v<std::remove_const_t<decltype(kOwn<A, B>)>, std::nullptr_t>;
template <class T>
constexpr bool kConvex = std::is_same_v<T, Sphere> || std::is_same_v<T, Box> || std::is_same_v<T, Capsule> ||
                         std::is_same_v<T, Cylinder> || std::is_same_v<T, Cone> || std::is_same_v<T, ConvexHull>;
template <class T>
constexpr bool kSurface = std::is_same_v<T, TriangleMesh> || std::is_same_v<T, HeightField>;
/// Shapes of fixed and kinematic bodies alone, which never meet each other.
template <class T>
constexpr bool kUnbounded = kSurface<T> || std::is_same_v<T, HalfSpace>;
template <class T>
constexpr bool kCompound = std::is_same_v<T, Compound>;

template <class T>
const T& as(const Shape& shape) {
  return *std::get_if<T>(&shape);
}

/// Two simple shapes: at most one manifold, written where it stays.
template <class A, class B>
void meet(const Pair& p, Manifold& out) {
  if constexpr (std::is_same_v<A, Box> && std::is_same_v<B, Box>) {
    BoxAxis axis{p.memory.axis};
    collide_box_box(as<A>(p.a), p.pose_a, as<B>(p.b), p.pose_b, p.margin, axis, out);
    p.memory.axis = axis.index;
  } else if constexpr (kHasOwn<A, B>) {
    out = kOwn<A, B>(as<A>(p.a), p.pose_a, as<B>(p.b), p.pose_b, p.margin);
  } else if constexpr (kHasOwn<B, A>) {
    out = flipped(kOwn<B, A>(as<B>(p.b), p.pose_b, as<A>(p.a), p.pose_a, p.margin));
  } else if constexpr (kConvex<A> && kConvex<B>) {
    out = collide_faces(p.a, p.pose_a, p.b, p.pose_b, p.margin, p.memory.walk);
  } else {
    static_assert(kUnbounded<A> && kUnbounded<B>, "this pair of shapes has no function: see docs/extending.md");
  }
}

/// Calls visit(index, child, its pose in the world) for the children whose box meets `other`; the shape itself as
/// child 0 where it is no compound.
template <class T, class Visit>
void for_each_child(const Shape& shape, const Pose& pose, const Aabb& other, Visit&& visit) {
  if constexpr (kCompound<T>) {
    std::uint64_t index = 0;
    for (const CompoundChild& child : as<T>(shape).data->children) {
      const Pose child_pose = pose * child.pose;
      if (overlap(bounds(child.shape, child_pose), other)) visit(index, child.shape, child_pose);
      ++index;
    }
  } else {
    visit(std::uint64_t{0}, shape, pose);
  }
}

/// Children against children, in their order. They are not worth a memory of their own.
template <class A, class B>
void meet_children(const Pair& p, PartManifolds& out) {
  const Aabb box_b = grown(bounds(p.b, p.pose_b), p.margin);
  for_each_child<A>(p.a, p.pose_a, box_b, [&](std::uint64_t i, const Shape& child_a, const Pose& pose_a) {
    const Aabb box_a = grown(bounds(child_a, pose_a), p.margin);
    for_each_child<B>(p.b, p.pose_b, box_a, [&](std::uint64_t j, const Shape& child_b, const Pose& pose_b) {
      CollideMemory none;
      const std::size_t first = out.size();
      collide(child_a, pose_a, child_b, pose_b, p.margin, none, out);
      for (std::size_t k = first; k < out.size(); ++k) out[k].part |= i << 48 | j << 32;
    });
  });
}

/// A convex shape over a surface; `flip` where the surface is the first of the pair.
template <class Surface>
void meet_surface(const Pair& p, bool flip, PartManifolds& out) {
  const std::size_t first = out.size();
  const Shape& convex = flip ? p.b : p.a;
  const Surface& surface = as<Surface>(flip ? p.a : p.b);
  const Pose &pose = flip ? p.pose_b : p.pose_a, &surface_pose = flip ? p.pose_a : p.pose_b;
  if constexpr (std::is_same_v<Surface, TriangleMesh>) {
    collide_mesh(convex, pose, surface, surface_pose, p.margin, out);
  } else {
    collide_height_field(convex, pose, surface, surface_pose, p.margin, out);
  }
  for (std::size_t k = first; flip && k < out.size(); ++k) out[k].manifold = flipped(out[k].manifold);
}

template <std::size_t I, std::size_t J>
void entry(const Pair& p, PartManifolds& out) {
  using A = std::variant_alternative_t<I, Shape>;
  using B = std::variant_alternative_t<J, Shape>;
  if constexpr (kCompound<A> || kCompound<B>) {
    meet_children<A, B>(p, out);
  } else if constexpr (kConvex<A> && kSurface<B>) {
    meet_surface<B>(p, false, out);
  } else if constexpr (kSurface<A> && kConvex<B>) {
    meet_surface<A>(p, true, out);
  } else {
    meet<A, B>(p, out.emplace_back().manifold);
    if (out.back().manifold.count == 0) out.pop_back();
  }
}

constexpr std::size_t kKinds = std::variant_size_v<Shape>;

constexpr auto make_table() {
  return []<std::size_t... K>(std::index_sequence<K...>) {
    return std::array<Function, sizeof...(K)>{&entry<K / kKinds, K % kKinds>...};
  }
  (std::make_index_sequence<kKinds * kKinds>{});
}

constexpr std::array<Function, kKinds* kKinds> kTable = make_table();

}  // namespace

void collide(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b, double margin,
             CollideMemory& memory, PartManifolds& out) {
  kTable[a.index() * kKinds + b.index()]({a, pose_a, b, pose_b, margin, memory}, out);
}

}  // namespace cairn
