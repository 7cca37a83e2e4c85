// SPDX-License-Identifier: MIT
// What steps, solves and queries say: reports, events, contacts, hits, and views of bodies.
#include <pybind11/stl.h>

#include "python/arguments.h"
#include "python/bind.h"
#include "python/casters.h"

namespace py = pybind11;

namespace cairn::python {

namespace {

py::dict times_of(const StageTimes& times) {
  py::dict result;
  for (int i = 0; i < kStageCount; ++i) result[to_string(static_cast<Stage>(i))] = times.wall[i];
  return result;
}

void bind_solve_report(py::module_& m) {
  py::class_<HistoryPoint>(m, "HistoryPoint", "One point of the convergence curve.")
      .def_readonly("iteration", &HistoryPoint::iteration)
      .def_readonly("seconds", &HistoryPoint::seconds)
      .def_readonly("residual", &HistoryPoint::residual)
      .def("__repr__", [](const py::object& self) { return represent(self); });
  py::class_<SolveReport>(m, "SolveReport", "How a solve went.")
      .def_property_readonly(
          "reason", [](const SolveReport& r) { return to_string(r.reason); }, "'converged', 'max_iterations', ...")
      .def_readonly("iterations", &SolveReport::iterations)
      .def_readonly("residual", &SolveReport::residual, "0: a solution, 1: as bad as no impulses, -1: not measured.")
      .def_readonly("seconds", &SolveReport::seconds)
      .def_readonly("setup_seconds", &SolveReport::setup_seconds)
      .def_readonly("history", &SolveReport::history)
      .def_readonly("notes", &SolveReport::notes)
      .def("__repr__", [](const SolveReport& r) {
        return fmt::format("SolveReport(reason={}, iterations={}, residual={:.3g}, seconds={:.3g})",
                           to_string(r.reason), r.iterations, r.residual, r.seconds);
      });
}

void bind_step_report(py::module_& m) {
  py::class_<StepReport>(m, "StepReport", "What a step did, how long it took and how good the answer is.")
      .def_readonly("step", &StepReport::step, "Steps done, this one included.")
      .def_readonly("time", &StepReport::time, "s of simulated time.")
      .def_property_readonly(
          "times", [](const StepReport& r) { return times_of(r.times); }, "s by stage.")
      .def_readonly("bodies", &StepReport::bodies)
      .def_readonly("awake_bodies", &StepReport::awake_bodies)
      .def_readonly("pairs", &StepReport::pairs)
      .def_readonly("manifolds", &StepReport::manifolds)
      .def_readonly("contacts", &StepReport::contacts)
      .def_readonly("recycled", &StepReport::recycled)
      .def_readonly("islands", &StepReport::islands)
      .def_readonly("sleeping_islands", &StepReport::sleeping_islands)
      .def_readonly("colours", &StepReport::colours)
      .def_readonly("solve", &StepReport::solve)
      .def_property_readonly(
          "residual", [](const StepReport& r) { return r.solve.residual; },
          "Of the answer of measured_step; -1: none was measured yet.")
      .def_readonly("measured_step", &StepReport::measured_step)
      .def_readonly("kinetic_energy", &StepReport::kinetic_energy, "J")
      .def_readonly("potential_energy", &StepReport::potential_energy, "J, of gravity.")
      .def_readonly("max_overlap", &StepReport::max_overlap, "m")
      .def_readonly("mean_overlap", &StepReport::mean_overlap, "m")
      .def_readonly("joints", &StepReport::joints)
      .def_readonly("max_joint_error", &StepReport::max_joint_error, "m")
      .def_readonly("max_joint_angle_error", &StepReport::max_joint_angle_error, "rad")
      .def_readonly("drive_work", &StepReport::drive_work, "J")
      .def_readonly("broken_joints", &StepReport::broken_joints)
      .def_readonly("quarantined", &StepReport::quarantined)
      .def("__repr__", [](const StepReport& r) {
        return fmt::format("StepReport(step={}, time={:.6g}, bodies={}, contacts={}, islands={}, residual={:.3g})",
                           r.step, r.time, r.bodies, r.contacts, r.islands, r.solve.residual);
      });
}

void bind_contacts(py::module_& m) {
  py::class_<ContactEvent>(m, "ContactEvent", "What happened to a pair of shapes in a step.")
      .def_readonly("kind", &ContactEvent::kind, "'begin', 'persist' or 'end'.")
      .def_readonly("shape_a", &ContactEvent::shape_a)
      .def_readonly("shape_b", &ContactEvent::shape_b)
      .def_readonly("body_a", &ContactEvent::body_a)
      .def_readonly("body_b", &ContactEvent::body_b)
      .def_readonly("point", &ContactEvent::point)
      .def_readonly("normal", &ContactEvent::normal, "From a to b.")
      .def_readonly("impulse", &ContactEvent::impulse, "N s, sum of the normal impulses.")
      .def("__repr__", [](const py::object& self) { return represent(self); });
  py::class_<ShapePair>(m, "ShapePair", "What a contact filter is asked about.")
      .def_readonly("shape_a", &ShapePair::shape_a)
      .def_readonly("shape_b", &ShapePair::shape_b)
      .def_readonly("body_a", &ShapePair::body_a)
      .def_readonly("body_b", &ShapePair::body_b)
      .def("__repr__", [](const py::object& self) { return represent(self); });
  py::class_<ContactView>(m, "Contact", "A point of contact as the last step left it.")
      .def_readonly("shape_a", &ContactView::shape_a)
      .def_readonly("shape_b", &ContactView::shape_b)
      .def_readonly("body_a", &ContactView::body_a)
      .def_readonly("body_b", &ContactView::body_b)
      .def_readonly("point", &ContactView::point)
      .def_readonly("normal", &ContactView::normal, "From a to b.")
      .def_readonly("separation", &ContactView::separation, "m, negative where they overlap.")
      .def_readonly("impulse", &ContactView::impulse, "N s on b, world axes.")
      .def("__repr__", [](const py::object& self) { return represent(self); });
  py::class_<WorldHit>(m, "Hit", "What a ray or a shape cast met.")
      .def_readonly("body", &WorldHit::body)
      .def_readonly("shape", &WorldHit::shape)
      .def_readonly("distance", &WorldHit::distance, "m along the ray or the cast.")
      .def_readonly("point", &WorldHit::point)
      .def_readonly("normal", &WorldHit::normal, "Against the ray or the cast.")
      .def("__repr__", [](const py::object& self) { return represent(self); });
}

void bind_body(py::module_& m) {
  py::class_<BodyView>(m, "BodyView", "Everything a body is and does, as of the moment it was asked.")
      .def_readonly("kind", &BodyView::kind)
      .def_property_readonly(
          "position", [](const BodyView& b) { return b.pose.position; }, "m, of its frame.")
      .def_property_readonly(
          "orientation", [](const BodyView& b) { return b.pose.orientation; }, "w, x, y, z.")
      .def_readonly("centre", &BodyView::centre, "m, of mass.")
      .def_property_readonly(
          "linear_velocity", [](const BodyView& b) { return b.velocity.linear; }, "m/s")
      .def_property_readonly(
          "angular_velocity", [](const BodyView& b) { return b.velocity.angular; }, "rad/s")
      .def_readonly("mass", &BodyView::mass, "kg; 0 for what does not move by forces.")
      .def_readonly("inertia", &BodyView::inertia, "kg m^2 about the centre: xx, yy, zz, xy, xz, yz.")
      .def_readonly("gravity_scale", &BodyView::gravity_scale)
      .def_readonly("asleep", &BodyView::asleep)
      .def_readonly("quarantined", &BodyView::quarantined, "Frozen because its numbers broke down.")
      .def_readonly("user", &BodyView::user)
      .def("__repr__", [](const py::object& self) { return represent(self); });
}

}  // namespace

void bind_reports(py::module_& m) {
  bind_solve_report(m);
  bind_step_report(m);
  bind_contacts(m);
  bind_body(m);
}

}  // namespace cairn::python
