// SPDX-License-Identifier: MIT
// WorldObject: a World as Python holds it, with the functions of the user that it calls.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <atomic>
#include <memory>
#include <optional>
#include <string>

#include "python/casters.h"

namespace cairn::python {

/// The lock of Python is released while it steps, so other threads of Python may call it meanwhile: they are refused.
class WorldObject {
 public:
  explicit WorldObject(const WorldSettings& settings) : world_(std::make_shared<World>(settings)) {}
  /// Somebody else's world, which `world` keeps alive. `batch_is_busy`, if given, is up while its batch works.
  explicit WorldObject(std::shared_ptr<World> world, const std::atomic<bool>* batch_is_busy = nullptr)
      : world_(std::move(world)), batch_is_busy_(batch_is_busy) {}
  ~WorldObject();
  WorldObject(const WorldObject&) = delete;
  WorldObject& operator=(const WorldObject&) = delete;

  /// cairn.Error while another thread is inside step(), of the world or of its batch.
  World& get() const;
  World* operator->() const { return &get(); }

  StepReport step(double dt);
  void set_listener(pybind11::object function);
  void set_filter(pybind11::object function);
  const pybind11::object& listener() const { return listener_; }
  const pybind11::object& filter() const { return filter_; }
  /// For Python's collector: the functions may hold the world.
  int traverse(visitproc visit, void* arg) const;
  void clear();

 private:
  void check_takes_functions() const;

  std::shared_ptr<World> world_;
  const std::atomic<bool>* batch_is_busy_ = nullptr;  ///< lives with world_; null: the world is in no batch
  pybind11::object listener_ = pybind11::none(), filter_ = pybind11::none();
  std::atomic<std::uintptr_t> stepper_{0};  ///< this_thread_mark() of the thread inside step(); 0: none
};

/// The world of a scene, a robot or a batch as a new object of Python.
pybind11::object world_object(World world);

/// Views of all bodies by row, read-only and without copies; each keeps its memory (World::arrays).
pybind11::array positions(const World& world);
pybind11::array orientations(const World& world);
pybind11::array linear_velocities(const World& world);
pybind11::array angular_velocities(const World& world);
/// Per row of those: whether a body is there.
pybind11::array_t<bool> live_rows(const World& world);

/// Queries of World, in bind_queries.cpp.
void bind_queries(pybind11::class_<WorldObject>& type);

}  // namespace cairn::python
