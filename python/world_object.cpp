// SPDX-License-Identifier: MIT
#include "python/world_object.h"

#include "cairn/core/parallel.h"

namespace py = pybind11;

namespace cairn::python {

namespace {

/// rows x columns numbers, `stride` bytes from row to row, in memory that `arrays` keeps. Read-only: what is written
/// behind the back of the world would not wake bodies.
py::array view_of(const BodyArrays& arrays, const double* first, std::size_t columns, std::size_t stride) {
  const std::size_t rows = arrays.pose.size();
  const py::capsule owner(new std::shared_ptr<const void>(arrays.memory),
                          [](void* memory) { delete static_cast<std::shared_ptr<const void>*>(memory); });
  py::array view(py::dtype::of<double>(), {rows, columns}, {stride, sizeof(double)}, first, owner);
  py::detail::array_proxy(view.ptr())->flags &= ~py::detail::npy_api::NPY_ARRAY_WRITEABLE_;
  return view;
}

const Pose kNoPose{};
const Velocity kNoVelocity{};

const Pose& first_pose(const BodyArrays& arrays) { return arrays.pose.empty() ? kNoPose : arrays.pose.front(); }
const Velocity& first_velocity(const BodyArrays& arrays) {
  return arrays.velocity.empty() ? kNoVelocity : arrays.velocity.front();
}

}  // namespace

WorldObject::~WorldObject() { clear(); }

World& WorldObject::get() const {
  const std::uintptr_t who = stepper_.load(std::memory_order_acquire);
  require(who == 0 || who == this_thread_mark(),
          "the world was used while another thread is inside step(): wait until that has returned");
  require(batch_is_busy_ == nullptr || !batch_is_busy_->load(std::memory_order_acquire),
          "the world was used while another thread is inside a function of its batch: wait until that has returned");
  return *world_;
}

void WorldObject::check_takes_functions() const {
  require(batch_is_busy_ == nullptr, "worlds of a batch take no functions of Python: they step side by side");
}

StepReport WorldObject::step(double dt) {
  World& world = get();
  require(stepper_.load(std::memory_order_acquire) == 0,
          "step() was called from inside a step: leave the contact listener first");
  struct Stepping {
    std::atomic<std::uintptr_t>& stepper;
    ~Stepping() { stepper.store(0, std::memory_order_release); }
  };
  stepper_.store(this_thread_mark(), std::memory_order_release);
  const Stepping stepping{stepper_};
  const py::gil_scoped_release release;
  return world.step(dt);
}

void WorldObject::set_listener(py::object function) {
  check_takes_functions();
  World& world = get();
  if (function.is_none()) {
    world.set_contact_listener({});
  } else {
    world.set_contact_listener([this](const ContactEvent& event) {
      const py::gil_scoped_acquire acquire;
      listener_(event);
    });
  }
  listener_ = std::move(function);
}

void WorldObject::set_filter(py::object function) {
  check_takes_functions();
  World& world = get();
  if (function.is_none()) {
    world.set_contact_filter({});
  } else {
    world.set_contact_filter([this](const ShapePair& pair) {
      const py::gil_scoped_acquire acquire;
      const int answer = PyObject_IsTrue(filter_(pair).ptr());
      if (answer < 0) throw py::error_already_set();
      return answer != 0;
    });
  }
  filter_ = std::move(function);
}

int WorldObject::traverse(visitproc visit, void* arg) const {
  Py_VISIT(listener_.ptr());
  Py_VISIT(filter_.ptr());
  return 0;
}

void WorldObject::clear() {
  if (!listener_.is_none()) world_->set_contact_listener({});
  if (!filter_.is_none()) world_->set_contact_filter({});
  listener_ = py::none();
  filter_ = py::none();
}

py::object world_object(World world) {
  return py::cast(std::make_unique<WorldObject>(std::make_shared<World>(std::move(world))));
}

py::array positions(const World& world) {
  const BodyArrays arrays = world.arrays();
  return view_of(arrays, &first_pose(arrays).position.x, 3, sizeof(Pose));
}

py::array orientations(const World& world) {
  const BodyArrays arrays = world.arrays();
  return view_of(arrays, &first_pose(arrays).orientation.w, 4, sizeof(Pose));
}

py::array linear_velocities(const World& world) {
  const BodyArrays arrays = world.arrays();
  return view_of(arrays, &first_velocity(arrays).linear.x, 3, sizeof(Velocity));
}

py::array angular_velocities(const World& world) {
  const BodyArrays arrays = world.arrays();
  return view_of(arrays, &first_velocity(arrays).angular.x, 3, sizeof(Velocity));
}

py::array_t<bool> live_rows(const World& world) {
  py::array_t<bool> live(static_cast<py::ssize_t>(world.arrays().pose.size()));
  std::fill_n(live.mutable_data(), live.size(), false);
  for (const BodyId body : world.bodies()) live.mutable_data()[body.index] = true;
  return live;
}

}  // namespace cairn::python
