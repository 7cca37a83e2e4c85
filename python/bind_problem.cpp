// SPDX-License-Identifier: MIT
// Problems, solvers and the ruler as values: one step of a world, or a published file, solved by any solver.
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include "cairn/files.h"
#include "python/arguments.h"
#include "python/bind.h"
#include "python/world_object.h"

namespace py = pybind11;

namespace cairn::python {

namespace {

/// A problem with bodies, or one that is assembled, as files have it. Immutable.
struct Problem {
  std::variant<ContactProblem, DelassusProblem> value;
  std::string title{};
  std::vector<std::string> notes{};

  bool has_bodies() const { return value.index() == 0; }
  const ContactProblem& contact() const {
    require(has_bodies(), "this problem is assembled: it has no bodies");
    return std::get<0>(value);
  }
  std::size_t contact_count() const {
    return has_bodies() ? std::get<0>(value).contacts.size() : std::get<1>(value).friction.size();
  }
};

/// What a solver found, and what it said.
struct Solution {
  std::variant<ContactSolution, DelassusSolution> value;
  SolveReport report;
};

Problem from_file(ProblemFile file) {
  Problem problem{{}, file.title, file.notes};
  if (auto* contact = std::get_if<ContactProblem>(&file.problem))
    problem.value = std::move(*contact);
  else if (auto* assembled = std::get_if<DelassusProblem>(&file.problem))
    problem.value = std::move(*assembled);
  else
    problem.value = to_delassus(std::get<GlobalProblem>(file.problem)).value_or_throw();
  return problem;
}

/// rows x columns numbers, copied.
py::array_t<double> table(std::size_t rows, std::size_t columns, const double* first) {
  py::array_t<double> result({rows, columns});
  if (result.size() > 0) std::copy_n(first, rows * columns, result.mutable_data());
  return result;
}

/// One value per contact, by a function.
template <class Read>
py::array_t<double> per_contact(const Problem& problem, Read&& read) {
  const auto& contacts = problem.contact().contacts;
  py::array_t<double> result(static_cast<py::ssize_t>(contacts.size()));
  for (std::size_t i = 0; i < contacts.size(); ++i) result.mutable_data()[i] = read(contacts[i]);
  return result;
}

py::array_t<double> normals(const Problem& problem) {
  const auto& contacts = problem.contact().contacts;
  py::array_t<double> result({contacts.size(), std::size_t{3}});
  for (std::size_t i = 0; i < contacts.size(); ++i)
    std::copy_n(&contacts[i].normal.x, 3, result.mutable_data() + 3 * i);
  return result;
}

py::array_t<std::int32_t> contact_bodies(const Problem& problem) {
  const auto& contacts = problem.contact().contacts;
  py::array_t<std::int32_t> result({contacts.size(), std::size_t{2}});
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    result.mutable_data()[2 * i] = contacts[i].body_a;
    result.mutable_data()[2 * i + 1] = contacts[i].body_b;
  }
  return result;
}

py::array_t<double> impulses(const Problem& problem, const Solution& solution) {
  if (const auto* with_bodies = std::get_if<ContactSolution>(&solution.value)) {
    const auto& all = with_bodies->contact_impulse;
    return table(all.size(), 4, all.empty() ? nullptr : all.front().data());
  }
  const auto dim = static_cast<std::size_t>(std::get<DelassusProblem>(problem.value).dim());
  const auto& all = std::get<DelassusSolution>(solution.value).impulse;
  return table(all.size() / dim, dim, all.data());
}

py::array_t<double> velocities(const Problem& problem, const Solution& solution) {
  static_assert(sizeof(Velocity) == 6 * sizeof(double));
  if (const auto* with_bodies = std::get_if<ContactSolution>(&solution.value)) {
    const auto& all = with_bodies->velocity;
    return table(all.size(), 6, all.empty() ? nullptr : &all.front().linear.x);
  }
  const auto dim = static_cast<std::size_t>(std::get<DelassusProblem>(problem.value).dim());
  const auto& all = std::get<DelassusSolution>(solution.value).velocity;
  return table(all.size() / dim, dim, all.data());
}

/// A solution together with its problem, as Python has it.
struct Solved {
  std::shared_ptr<const Problem> problem;
  Solution solution;
};

/// How to stop and what to use besides; fields by keyword.
struct SolveOptions {
  double tolerance = 1e-6, time_limit = 0;
  int iterations = 1000, threads = 1;
  bool history = false;
  NamedSettings settings;
};

SolveContext context_of(const SolveOptions& options, ThreadPool* pool) {
  SolveContext context;
  context.pool = pool;
  context.stop = {options.tolerance, options.iterations, options.time_limit};
  context.history = options.history;
  context.measure_end = true;
  return context;
}

Solved solve(const std::shared_ptr<const Problem>& problem, const std::string& name, const Solved* warm_start,
             const py::kwargs& fields) {
  const auto options = with_fields("solve", SolveOptions{}, fields);
  const std::unique_ptr<Solver> solver = make_solver(name, options.settings);
  Solved solved{problem, {}};
  require(warm_start == nullptr || warm_start->solution.value.index() == problem->value.index(),
          "solve: the warm start is the solution of a problem of the other form");
  if (warm_start != nullptr) solved.solution.value = warm_start->solution.value;
  const py::gil_scoped_release release;
  const std::unique_ptr<ThreadPool> pool = make_pool(options.threads);
  SolveContext context = context_of(options, pool.get());
  Solution& solution = solved.solution;
  if (problem->has_bodies()) {
    if (warm_start == nullptr) solution.value = ContactSolution{};
    solution.report = solver->solve(std::get<0>(problem->value), std::get<0>(solution.value), context);
  } else {
    if (warm_start == nullptr) solution.value = DelassusSolution{};
    solution.report = solver->solve(std::get<1>(problem->value), std::get<1>(solution.value), context);
  }
  return solved;
}

Measures measure(const Problem& problem, const Solved& solved) {
  require(solved.solution.value.index() == problem.value.index(), "residual: the solution is not one of this problem");
  if (problem.has_bodies()) return residual(problem.contact(), std::get<0>(solved.solution.value));
  return residual(std::get<1>(problem.value), std::get<1>(solved.solution.value).impulse);
}

std::vector<std::string> write(const Problem& problem, const std::string& path, bool overwrite) {
  ProblemFile file;
  std::visit([&](const auto& value) { file.problem = value; }, problem.value);
  file.title = problem.title;
  return write_problem(file, path, {.overwrite = overwrite}).value_or_throw().notes;
}

void bind_value(py::module_& m) {
  py::class_<Problem, std::shared_ptr<Problem>>(m, "Problem", "One step as a value, or a problem from a file.")
      .def_readonly("title", &Problem::title)
      .def_readonly("notes", &Problem::notes)
      .def_property_readonly("has_bodies", &Problem::has_bodies, "False: assembled, W and q alone.")
      .def_property_readonly("contact_count", &Problem::contact_count)
      .def_property_readonly("body_count", [](const Problem& p) { return p.contact().bodies.size(); })
      .def_property_readonly("joint_count", [](const Problem& p) { return p.contact().joints.size(); })
      .def_property_readonly(
          "dt", [](const Problem& p) { return p.contact().dt; }, "s")
      .def_property_readonly("normals", &normals, "N x 3, from body a to body b; a copy.")
      .def_property_readonly("contact_bodies", &contact_bodies, "N x 2 rows of bodies; a copy.")
      .def_property_readonly(
          "gaps", [](const Problem& p) { return per_contact(p, [](const ContactBlock& c) { return c.gap; }); },
          "m per contact; a copy.")
      .def_property_readonly(
          "friction",
          [](const Problem& p) { return per_contact(p, [](const ContactBlock& c) { return c.friction1; }); },
          "Coefficient per contact; a copy.")
      .def("write", &write, py::arg("path"), py::arg("overwrite") = false,
           "Writes FCLIB's format. Returns notes on what other programs will not find in the file.")
      .def("__repr__", [](const Problem& p) {
        const std::string what = p.has_bodies() ? fmt::format("{} bodies, ", p.contact().bodies.size()) : "assembled, ";
        return fmt::format("<cairn.Problem: {}{} contacts>", what, p.contact_count());
      });
  py::class_<Solved>(m, "Solution", "What a solver found.")
      .def_property_readonly("report", [](const Solved& s) { return s.solution.report; })
      .def_property_readonly(
          "impulses", [](const Solved& s) { return impulses(*s.problem, s.solution); },
          "Rows n, s, t, spin per contact, N s; of an assembled problem as many as it has.")
      .def_property_readonly(
          "velocities", [](const Solved& s) { return velocities(*s.problem, s.solution); },
          "Per body linear and angular, m/s and rad/s; of an assembled problem per contact.")
      .def_property_readonly(
          "residual", [](const Solved& s) { return measure(*s.problem, s).residual; },
          "Measured anew: 0 a solution, 1 as bad as no impulses.")
      .def("__repr__", [](const Solved& s) {
        return fmt::format("<cairn.Solution: {}>", py::repr(py::cast(s.solution.report)).cast<std::string>());
      });
}

void bind_measures(py::module_& m) {
  py::class_<Measures>(m, "Measures", "How good an answer is, whoever found it (docs/solvers.md).")
      .def_readonly("residual", &Measures::residual)
      .def_readonly("natural_map", &Measures::natural_map)
      .def_readonly("unit_free", &Measures::unit_free)
      .def_readonly("complementarity", &Measures::c5_complementarity)
      .def_readonly("cone_excess", &Measures::c6_cone_excess)
      .def_readonly("dissipation_gap", &Measures::c6_dissipation_gap)
      .def_readonly("consistency", &Measures::c7_consistency)
      .def("__repr__", [](const py::object& self) { return represent(self); });
  bind_fields<SolveOptions>(m, "SolveOptions", "Keywords of solve().")
      .def_readwrite("tolerance", &SolveOptions::tolerance, "Residual at which to stop; 0: all iterations.")
      .def_readwrite("iterations", &SolveOptions::iterations, "At most.")
      .def_readwrite("time_limit", &SolveOptions::time_limit, "s; 0: none. Then results depend on the machine.")
      .def_readwrite("threads", &SolveOptions::threads, "0: every processor; results do not depend on it.")
      .def_readwrite("history", &SolveOptions::history, "Record the residual after every iteration.")
      .def_property(
          "settings",
          [](const SolveOptions& o) {
            py::dict result;
            for (const auto& [name, value] : o.settings) result[py::str(name)] = value;
            return result;
          },
          [](SolveOptions& o, const py::dict& values) { o.settings = settings_of(values); },
          "Settings of the solver by name.");
}

py::list list_solvers() {
  py::list result;
  for (const SolverInfo& info : solver_table()) {
    py::dict settings;
    for (const SettingInfo& s : info.settings) settings[py::str(s.name)] = py::make_tuple(s.value, s.allowed, s.help);
    result.append(py::dict(py::arg("name") = info.name, py::arg("summary") = info.summary,
                           py::arg("joints") = info.joints, py::arg("assembled") = info.assembled,
                           py::arg("settings") = settings));
  }
  return result;
}

}  // namespace

void bind_problem(py::module_& m) {
  bind_value(m);
  bind_measures(m);
  m.def("solve", &solve, py::arg("problem"), py::arg("solver") = "nesterov", py::arg("warm_start") = nullptr,
        "Solves a problem. Keywords: tolerance, iterations, time_limit, threads, history, settings.\n"
        "An answer that did not converge is no error: look at Solution.report.");
  m.def("residual", &measure, py::arg("problem"), py::arg("solution"), "Judges a solution of a problem.");
  m.def("solvers", &list_solvers, "All solvers: name, summary, whether they take joints, and their settings.");
  m.def(
      "read_problem",
      [](const std::string& path) { return std::make_shared<Problem>(from_file(read_problem(path).value_or_throw())); },
      py::arg("path"), "Reads a problem in FCLIB's format.");
  const py::object world = m.attr("World");
  world.attr("problem") =
      py::cpp_function([](const WorldObject& w) { return std::make_shared<Problem>(Problem{w->problem()}); },
                       py::name("problem"), py::is_method(world), "The problem of the last step, as a value.");
}

}  // namespace cairn::python
