// SPDX-License-Identifier: MIT
// Joints: axes with limits and drives, the kinds, and the definition of a joint.
#include <pybind11/stl.h>

#include "python/arguments.h"
#include "python/bind.h"
#include "python/casters.h"

namespace py = pybind11;

namespace cairn::python {

namespace {

void bind_axes(py::module_& m) {
  bind_fields<AxisDrive>(m, "Drive", "What moves along or about an axis of a joint.")
      .def_readwrite("kind", &AxisDrive::kind, "'none', 'velocity' or 'position'.")
      .def_readwrite("speed", &AxisDrive::speed, "m/s or rad/s")
      .def_readwrite("position", &AxisDrive::position, "m or rad")
      .def_readwrite("stiffness", &AxisDrive::stiffness, "N/m or N m/rad")
      .def_readwrite("damping", &AxisDrive::damping, "N s/m or N m s/rad")
      .def_readwrite("max_force", &AxisDrive::max_force, "N or N m");
  bind_fields<JointAxis>(m, "Axis", "One direction in which a joint lets its bodies move.")
      .def_readwrite("motion", &JointAxis::motion, "'free', 'limited' or 'locked'.")
      .def_readwrite("lower", &JointAxis::lower, "m or rad")
      .def_readwrite("upper", &JointAxis::upper, "m or rad")
      .def_property(
          "limits", [](const JointAxis& a) { return std::make_pair(a.lower, a.upper); },
          [](JointAxis& a, const std::pair<double, double>& limits) {
            a.motion = AxisMotion::limited;
            std::tie(a.lower, a.upper) = limits;
          },
          "(lower, upper); setting it also sets the motion to 'limited'.")
      .def_readwrite("limit_compliance", &JointAxis::limit_compliance, "m/N or rad/(N m) of the stops.")
      .def_readwrite("limit_damping", &JointAxis::limit_damping, "N s/m or N m s/rad of soft stops.")
      .def_readwrite("drive", &JointAxis::drive)
      .def_readwrite("friction", &JointAxis::friction, "N or N m");
  bind_fields<JointSoftness>(m, "Softness", "Of what a joint holds.")
      .def_readwrite("compliance", &JointSoftness::compliance, "m/N or rad/(N m); 0: rigid.")
      .def_readwrite("damping", &JointSoftness::damping, "N s/m or N m s/rad");
}

void bind_kinds(py::module_& m) {
  bind_fields<BallJoint>(m, "BallJoint", "Holds a point; turns freely within a cone.")
      .def_readwrite("cone", &BallJoint::cone, "rad, largest swing.")
      .def_readwrite("twist", &BallJoint::twist)
      .def_readwrite("friction", &BallJoint::friction, "N m about each axis.");
  bind_fields<HingeJoint>(m, "HingeJoint", "Turns about x.").def_readwrite("turn", &HingeJoint::turn);
  bind_fields<PrismaticJoint>(m, "PrismaticJoint", "Slides along x.").def_readwrite("slide", &PrismaticJoint::slide);
  bind_fields<CylindricalJoint>(m, "CylindricalJoint", "Slides along x and turns about it.")
      .def_readwrite("slide", &CylindricalJoint::slide)
      .def_readwrite("turn", &CylindricalJoint::turn);
  bind_fields<FixedJoint>(m, "FixedJoint", "Welds two bodies.");
  bind_fields<DistanceJoint>(m, "DistanceJoint", "A massless rod.")
      .def_readwrite("length", &DistanceJoint::length, "m");
  bind_fields<RopeJoint>(m, "RopeJoint", "At most so far apart.")
      .def_readwrite("length", &RopeJoint::length, "m")
      .def_readwrite("compliance", &RopeJoint::compliance, "m/N")
      .def_readwrite("damping", &RopeJoint::damping, "N s/m");
  bind_fields<SpringJoint>(m, "SpringJoint", "A spring and damper between two points.")
      .def_readwrite("length", &SpringJoint::length, "m, without force.")
      .def_readwrite("stiffness", &SpringJoint::stiffness, "N/m")
      .def_readwrite("damping", &SpringJoint::damping, "N s/m")
      .def_readwrite("max_force", &SpringJoint::max_force, "N");
  bind_fields<UniversalJoint>(m, "UniversalJoint", "Turns about x of a and y of b.")
      .def_readwrite("turn_x", &UniversalJoint::turn_x)
      .def_readwrite("turn_y", &UniversalJoint::turn_y);
  bind_fields<PlanarJoint>(m, "PlanarJoint", "Slides along y and z and turns about x.")
      .def_readwrite("slide_y", &PlanarJoint::slide_y)
      .def_readwrite("slide_z", &PlanarJoint::slide_z)
      .def_readwrite("turn", &PlanarJoint::turn);
  bind_fields<GearJoint>(m, "GearJoint", "Two wheels that roll on each other.")
      .def_readwrite("point", &GearJoint::point, "Pitch point, in the frame of the carrier.")
      .def_readwrite("tangent", &GearJoint::tangent)
      .def_readwrite("radius_a", &GearJoint::radius_a, "m, signed.")
      .def_readwrite("radius_b", &GearJoint::radius_b, "m, signed.")
      .def_readwrite("start_a", &GearJoint::start_a)
      .def_readwrite("start_b", &GearJoint::start_b);
  bind_fields<SixDofJoint>(m, "SixDofJoint", "Every direction as its axis says.")
      .def_readwrite("slide", &SixDofJoint::slide, "Three axes.")
      .def_readwrite("turn", &SixDofJoint::turn, "Three axes.");
}

void bind_definition(py::module_& m) {
  py::class_<JointDef>(m, "Joint", "A joint as World.joint() returns it and World.set_joint() takes it.")
      .def_readwrite("body_a", &JointDef::body_a, "BodyId() is the world.")
      .def_readwrite("body_b", &JointDef::body_b)
      .def_readwrite("kind", &JointDef::kind, "HingeJoint, BallJoint, ...; set the whole of it.")
      .def_property(
          "position_a", [](const JointDef& d) { return d.frame_a.position; },
          [](JointDef& d, const Vec3& v) { d.frame_a.position = v; }, "m, where the joint is in the frame of a.")
      .def_property(
          "orientation_a", [](const JointDef& d) { return d.frame_a.orientation; },
          [](JointDef& d, const Quat& q) { d.frame_a.orientation = q; })
      .def_property(
          "position_b", [](const JointDef& d) { return d.frame_b.position; },
          [](JointDef& d, const Vec3& v) { d.frame_b.position = v; }, "m, where the joint is in the frame of b.")
      .def_property(
          "orientation_b", [](const JointDef& d) { return d.frame_b.orientation; },
          [](JointDef& d, const Quat& q) { d.frame_b.orientation = q; })
      .def_readwrite("carrier", &JointDef::carrier, "Of a gear: the body that bears both wheels.")
      .def_readwrite("enabled", &JointDef::enabled)
      .def_readwrite("collide_connected", &JointDef::collide_connected)
      .def_readwrite("linear", &JointDef::linear, "Softness of what is held along axes.")
      .def_readwrite("angular", &JointDef::angular, "Softness of what is held about axes.")
      .def_readwrite("break_force", &JointDef::break_force, "N")
      .def_readwrite("break_torque", &JointDef::break_torque, "N m")
      .def_readwrite("user", &JointDef::user, "A number of yours, never looked at.")
      .def("__repr__", [](const py::object& self) { return represent(self); });
  py::class_<JointView>(m, "JointView", "What a joint does, as of the last step.")
      .def_readonly("slide", &JointView::slide, "m, coordinates along x, y, z of frame a.")
      .def_readonly("turn", &JointView::turn, "rad, coordinates about them.")
      .def_readonly("separation", &JointView::separation, "m, by which what it holds is apart.")
      .def_readonly("misalignment", &JointView::misalignment, "rad, the same for directions.")
      .def_readonly("force", &JointView::force, "N on b, world axes.")
      .def_readonly("torque", &JointView::torque, "N m on b about the joint, world axes.")
      .def("__repr__", [](const py::object& self) { return represent(self); });
}

}  // namespace

void bind_joints(py::module_& m) {
  bind_axes(m);
  bind_kinds(m);
  bind_definition(m);
}

}  // namespace cairn::python
