// SPDX-License-Identifier: MIT
// WorldBatch: many worlds side by side, actions and observations as NumPy arrays.
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <atomic>

#include "python/arguments.h"
#include "python/bind.h"
#include "python/world_object.h"

namespace py = pybind11;

namespace cairn::python {

namespace {

using Rows = py::array_t<double, py::array::c_style | py::array::forcecast>;
using Flags = py::array_t<bool, py::array::c_style | py::array::forcecast>;

/// A batch as Python holds it. The lock of Python is released while it works, so others are refused meanwhile.
struct BatchObject {
  WorldBatch batch;
  std::atomic<bool> is_busy{false};

  BatchObject(std::vector<World> worlds, BatchChannels channels, int threads)
      : batch(std::move(worlds), std::move(channels), threads) {}

  /// work(), without the lock and with nobody else inside.
  template <class Work>
  void run(Work&& work) {
    require(!is_busy.exchange(true), "the batch was used while another thread is inside one of its functions");
    struct Busy {
      std::atomic<bool>& is_busy;
      ~Busy() { is_busy.store(false); }
    };
    const Busy busy{is_busy};
    const py::gil_scoped_release release;
    work();
  }
};

/// A copy with one thread: those of the batch step it.
World copy_of(const World& world) {
  World copy;
  if (const std::optional<Error> error = copy.restore(world.save())) throw InputError(*error);
  return copy;
}

/// ("joint_force", joint) or ("body_force", body).
template <class Channel>
std::vector<Channel> channels_of(const py::list& list) {
  std::vector<Channel> result;
  for (const py::handle item : list) {
    const auto pair = item.cast<py::tuple>();
    if (pair.size() != 2) fail_input("a channel is a pair of a name and a JointId or BodyId");
    Channel channel{.kind = pair[0].cast<decltype(Channel::kind)>()};
    if (py::isinstance<JointId>(pair[1]))
      channel.joint = pair[1].cast<JointId>();
    else
      channel.body = pair[1].cast<BodyId>();
    result.push_back(channel);
  }
  return result;
}

std::shared_ptr<BatchObject> new_batch(const py::object& source, std::size_t count, const py::list& actions,
                                       const py::list& observations, int threads) {
  std::vector<World> worlds;
  if (py::isinstance<WorldObject>(source)) {
    const World& world = source.cast<const WorldObject&>().get();
    for (std::size_t i = 0; i < count; ++i) worlds.push_back(copy_of(world));
  } else {
    for (const py::handle item : source) worlds.push_back(copy_of(item.cast<const WorldObject&>().get()));
  }
  BatchChannels channels{channels_of<ActionChannel>(actions), channels_of<ObservationChannel>(observations)};
  return std::make_shared<BatchObject>(std::move(worlds), std::move(channels), threads);
}

void check_shape(const py::array& rows, std::size_t count, std::size_t width, const char* what) {
  if (rows.ndim() != 2 || static_cast<std::size_t>(rows.shape(0)) != count ||
      static_cast<std::size_t>(rows.shape(1)) != width)
    fail_input(fmt::format("{} must have shape ({}, {})", what, count, width));
}

void step(BatchObject& self, double dt, const std::optional<Rows>& actions, int repeats) {
  std::span<const double> numbers;
  if (actions) {
    check_shape(*actions, self.batch.size(), self.batch.action_size(), "actions");
    numbers = {actions->data(), static_cast<std::size_t>(actions->size())};
  }
  self.run([&] { self.batch.step(dt, numbers, repeats); });
}

/// Into an array of the caller, or a new one.
py::array_t<double> observe(BatchObject& self, std::optional<py::array_t<double, py::array::c_style>> out) {
  const WorldBatch& batch = self.batch;
  if (!out) out.emplace(std::vector<std::size_t>{batch.size(), batch.observation_size()});
  check_shape(*out, batch.size(), batch.observation_size(), "out");
  const std::span<double> numbers{out->mutable_data(), static_cast<std::size_t>(out->size())};
  self.run([&] { batch.observe(numbers); });
  return *out;
}

void reset(BatchObject& self, const std::optional<Flags>& which) {
  std::vector<std::uint8_t> flags;
  if (which) {
    flags.assign(which->data(), which->data() + which->size());
    if (flags.size() != self.batch.size()) fail_input(fmt::format("reset: there must be {} flags", self.batch.size()));
    if (flags.empty()) return;
  }
  self.run([&] { self.batch.reset(flags); });
}

std::unique_ptr<WorldObject> world_of(const std::shared_ptr<BatchObject>& self, std::size_t i) {
  return std::make_unique<WorldObject>(std::shared_ptr<World>(self, &self->batch.world(i)), &self->is_busy);
}

}  // namespace

void bind_batch(py::module_& m) {
  py::class_<BatchObject, std::shared_ptr<BatchObject>>(
      m, "WorldBatch", "Many worlds stepped side by side; the bits of each depend on its own actions alone.")
      .def(py::init(&new_batch), py::arg("worlds"), py::arg("count") = 1, py::arg("actions") = py::list(),
           py::arg("observations") = py::list(), py::arg("threads") = 0,
           "Copies of one world (count of them), or of each world of a list. Actions and observations are lists of\n"
           "(kind, handle): ('joint_force', joint), ('body_position', body), ...")
      .def("__len__", [](const BatchObject& b) { return b.batch.size(); })
      .def_property_readonly(
          "action_size", [](const BatchObject& b) { return b.batch.action_size(); }, "Numbers per world.")
      .def_property_readonly(
          "observation_size", [](const BatchObject& b) { return b.batch.observation_size(); }, "Numbers per world.")
      .def("step", &step, py::arg("dt"), py::arg("actions") = py::none(), py::arg("repeats") = 1,
           "Gives every world its row of actions and makes `repeats` steps. Other threads of Python go on meanwhile.")
      .def("observe", &observe, py::arg("out") = py::none(), "One row per world; into `out` if it is given.")
      .def("reset", &reset, py::arg("which") = py::none(), "Back to the beginning: all, or where the flags are set.")
      .def(
          "reset_to",
          [](BatchObject& b, std::size_t i, const std::string& snapshot) {
            b.run([&] { b.batch.reset_to(i, snapshot); });
          },
          py::arg("index"), py::arg("snapshot"), "Puts one world to a saved state, which reset then goes back to.")
      .def("world", &world_of, py::arg("index"), "A world of the batch, to look at and to edit between steps.")
      .def("__repr__", [](const BatchObject& b) {
        return fmt::format("<cairn.WorldBatch: {} worlds, {} action and {} observation numbers each>", b.batch.size(),
                           b.batch.action_size(), b.batch.observation_size());
      });
}

}  // namespace cairn::python
