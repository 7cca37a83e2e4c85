// SPDX-License-Identifier: MIT
#include "cairn/solvers/solver_table.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <functional>

#include "cairn/core/errors.h"
#include "cairn/solvers/contract/contract.h"
#include "cairn/solvers/exact/exact.h"
#include "cairn/solvers/ldl/ldl_pgs.h"
#include "cairn/solvers/prox/acceleration.h"
#include "cairn/solvers/prox/prox.h"
#include "cairn/solvers/splitting/splitting.h"
#include "cairn/solvers/staggered/staggered.h"

namespace cairn {

namespace {

/// A setting of type-erased text over a settings struct S.
template <class S>
struct Field {
  std::string name, allowed, help;
  std::function<void(S&, std::string_view)> set;  ///< throws InputError on a bad value
  std::function<std::string(const S&)> get;
};

template <class S>
using Fields = std::vector<Field<S>>;

[[noreturn]] void refuse(const std::string& name, std::string_view value, const std::string& allowed) {
  fail_input(fmt::format("setting {}={}: the value must be {}", name, value, allowed));
}

template <class T>
T parse_number(const std::string& name, std::string_view text, T least, T most, const std::string& allowed) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !(value >= least && value <= most))
    refuse(name, text, allowed);
  return value;
}

template <class S, class T>
Field<S> number(std::string name, T S::*member, T least, T most, std::string help) {
  const std::string allowed = fmt::format("a number in [{}, {}]", least, most);
  return {name, allowed, std::move(help),
          [=](S& s, std::string_view text) { s.*member = parse_number<T>(name, text, least, most, allowed); },
          [=](const S& s) { return fmt::format("{}", s.*member); }};
}

template <class S>
Field<S> boolean(std::string name, bool S::*member, std::string help) {
  return {name, "on|off", std::move(help),
          [=](S& s, std::string_view text) {
            if (text != "on" && text != "off") refuse(name, text, "on or off");
            s.*member = text == "on";
          },
          [=](const S& s) { return s.*member ? "on" : "off"; }};
}

template <class S, class E>
Field<S> choice(std::string name, E S::*member, std::vector<std::pair<std::string, E>> values, std::string help) {
  std::string allowed;
  for (const auto& [text, value] : values) allowed += (allowed.empty() ? "" : "|") + text;
  return {name, allowed, std::move(help),
          [=](S& s, std::string_view text) {
            for (const auto& [candidate, value] : values)
              if (candidate == text) {
                s.*member = value;
                return;
              }
            refuse(name, text, "one of " + allowed);
          },
          [=](const S& s) {
            for (const auto& [candidate, value] : values)
              if (value == s.*member) return candidate;
            return std::string("?");
          }};
}

/// Limits that every solver has; they go before the caller's.
template <class S>
Field<S> iterations_field(std::string what) {
  return number("iterations", &S::iterations, 0, 1000000000, std::move(what) + " at most; 0: as the caller says");
}
template <class S>
Field<S> tolerance_field() {
  return number("tolerance", &S::tolerance, -1.0, 1.0,
                "residual to stop at; 0: never by the residual; negative: as the caller says");
}

/// Settings that all solvers by sweeps share.
template <class S>
Field<S> relaxation_field() {
  return number("relaxation", &S::relaxation, 0.01, 1.99, "factor on every step");
}
template <class S>
Field<S> friction_order_field() {
  return choice("friction_order", &S::friction_order,
                {{"block", FrictionOrder::block}, {"staggered", FrictionOrder::staggered}},
                "friction rows with the normal rows of their contact, or after those of all contacts");
}
template <class S>
Field<S> acceleration_field() {
  return choice("acceleration", &S::acceleration,
                {{"none", Acceleration::none},
                 {"nesterov", Acceleration::nesterov},
                 {"anderson", Acceleration::anderson},
                 {"nncg", Acceleration::nncg}},
                "extrapolation from the last sweeps");
}
template <class S>
Field<S> depth_field() {
  return number("depth", &S::depth, 1, kMostDepth, "anderson: iterates remembered");
}

Fields<ProxSettings> prox_fields() {
  using S = ProxSettings;
  return {
      iterations_field<S>("sweeps"),
      tolerance_field<S>(),
      choice("operator", &S::op,
             {{"automatic", ContactOperator::automatic},
              {"factorised", ContactOperator::factorised},
              {"A", ContactOperator::a},
              {"T", ContactOperator::t}},
             "how A lambda is evaluated"),
      choice("schedule", &S::schedule,
             {{"automatic", ScheduleKind::automatic},
              {"sequential", ScheduleKind::sequential},
              {"greedy", ScheduleKind::greedy},
              {"balanced", ScheduleKind::balanced},
              {"relaxed", ScheduleKind::relaxed},
              {"split", ScheduleKind::split},
              {"naive", ScheduleKind::naive},
              {"partitions", ScheduleKind::partitions}},
             "which contacts are visited side by side (Gauss-Seidel)"),
      choice("friction", &S::friction,
             {{"automatic", FrictionModel::automatic},
              {"disc", FrictionModel::disc},
              {"ellipse", FrictionModel::ellipse},
              {"box", FrictionModel::box},
              {"cone", FrictionModel::cone}},
             "the set friction is projected on; the residual always judges by the problem's law"),
      friction_order_field<S>(),
      choice("local", &S::local,
             {{"automatic", LocalSolve::automatic}, {"prox", LocalSolve::prox}, {"exact", LocalSolve::exact}},
             "how one contact is solved; automatic: exact on assembled problems, prox with bodies"),
      choice("r_factor", &S::r_factor,
             {{"local", RFactor::local}, {"diagonal", RFactor::diagonal}, {"global", RFactor::global}},
             "step length: per contact (safe for Jacobi), per contact as in the thesis, one for all"),
      relaxation_field<S>(),
      boolean("rollback", &S::rollback, "undo sweeps that made things worse and reduce r (Jacobi always does)"),
      number("nu", &S::nu, 0.01, 0.99, "r <- nu r at a rollback"),
      number("max_rollbacks", &S::max_rollbacks, 0, 100, "reductions before carrying on regardless"),
      number("growth", &S::growth, 1.0, 100.0, "a sweep is worse when its change exceeds the last by this factor"),
      number("free_sweeps", &S::free_sweeps, 0, 1000, "sweeps at the start that may grow"),
      number("parts", &S::parts, 1, 4096, "slices of naive, parts of partitions"),
      number("merge_below", &S::merge_below, 0, 1000000, "relaxed, split: colours smaller than this are merged"),
      number("max_colours", &S::max_colours, 0, 4096, "split: colours at most"),
      acceleration_field<S>(),
      depth_field<S>(),
  };
}

Fields<SplittingSettings> splitting_fields(SplittingMethod method) {
  using S = SplittingSettings;
  Fields<S> fields{iterations_field<S>("sweeps"), tolerance_field<S>()};
  if (method != SplittingMethod::line_search) {
    fields.push_back(friction_order_field<S>());
    fields.push_back(choice("update", &S::update,
                            {{"averaging", VelocityUpdate::averaging}, {"full_mass", VelocityUpdate::full_mass}},
                            "bodies take the mean of their copies, or u += W J^T dlambda: equal up to round-off"));
  }
  if (method == SplittingMethod::blocks)
    fields.push_back(number("cluster", &S::cluster, 1, 4096, "pairs of bodies per block; more: fewer sweeps"));
  fields.push_back(relaxation_field<S>());
  fields.push_back(acceleration_field<S>());
  fields.push_back(depth_field<S>());
  return fields;
}

Fields<ReferenceSettings> reference_fields() {
  using S = ReferenceSettings;
  return {
      iterations_field<S>("sweeps and Newton steps"),
      tolerance_field<S>(),
      number("sweeps", &S::sweeps, 0, 1000000, "Gauss-Seidel sweeps before Newton"),
      number("cold_alpha", &S::cold_alpha, 1e-9, 1e9, "first proximal parameter; smaller fails more often"),
      number("first_try_m", &S::first_try_m, 1e-12, 1.0,
             "how far the smoothing path is followed before Newton is tried"),
      number("try_factor", &S::try_factor, 0.01, 0.99, "fall along the path between tries"),
      number("max_rounds", &S::max_rounds, 0, 100000, "rounds of sweeps and Newton at the end"),
      number("round_sweeps", &S::round_sweeps, 1, 1000000, "Gauss-Seidel sweeps per round"),
  };
}

Fields<ExactSettings> exact_fields() {
  using S = ExactSettings;
  return {
      iterations_field<S>("Newton steps and sweeps of an island"),
      number("tolerance", &S::tolerance, -1.0, 1.0,
             "residual of every island to stop at; 0: 1e-10; negative: as the caller says, 1e-10 where that is 0"),
      number("staggered_contacts", &S::staggered_contacts, 0, 4096,
             "islands of up to so many contacts and joint rows try staggered projections first; 0: none"),
      number("newton_steps", &S::newton_steps, 1, 1000, "Newton steps in impulses at a time"),
      number("eps", &S::eps, 1e-12, 1e-2, "proximal term of Newton in impulses: what holds redundant contacts"),
      number("first_eps", &S::first_eps, 1e-12, 1e3, "first proximal term of Newton in velocities"),
      number("last_eps", &S::last_eps, 1e-12, 1e3, "last one; smaller: round-off"),
      number("factor", &S::factor, 0.01, 0.9, "of the proximal term from one point to the next"),
      number("rounds", &S::rounds, 0, 1000, "of sweeps and Newton after that, as long as they help"),
      number("sweeps", &S::sweeps, 1, 1000000, "per round"),
      boolean("reference", &S::reference, "at last the phases of `reference`, on small islands without joints"),
      number("reference_contacts", &S::reference_contacts, 0, 1000000, "contacts up to which an island is small"),
      number("max_contacts", &S::max_contacts, 0, 1000000,
             "contacts and joint rows of an island above which `large` takes it"),
      choice("large", &S::large,
             {{"nncg", "nncg"},
              {"anderson", "anderson"},
              {"nesterov", "nesterov"},
              {"gauss_seidel", "gauss_seidel"},
              {"ldl_pgs", "ldl_pgs"}},
             "the iterative solver of islands above max_contacts"),
  };
}

Fields<LdlPgsSettings> ldl_pgs_fields() {
  using S = LdlPgsSettings;
  return {
      iterations_field<S>("sweeps"),
      tolerance_field<S>(),
      choice("coupling", &S::coupling, {{"block", LdlCoupling::block}, {"last", LdlCoupling::last}},
             "joints solved in every sweep, or by sweeps and once at the end (doc 004)"),
      choice("hubs", &S::hubs, {{"plain", LdlHubs::plain}, {"shatter", LdlHubs::shatter}, {"hub", LdlHubs::hub}},
             "bodies with many joints: nothing special, split into shards (doc 004), kept as unknowns"),
      number("hub_rows", &S::hub_rows, 6, 1000000, "a body with more joint rows than this is a hub"),
      choice("ordering", &S::ordering,
             {{"automatic", LdlOrdering::automatic},
              {"minimum_fill", LdlOrdering::minimum_fill},
              {"minimum_degree", LdlOrdering::minimum_degree}},
             "which block is eliminated next; automatic: minimum_fill up to 500 blocks"),
      acceleration_field<S>(),
      number("depth", &S::depth, 1, kMostDepth, "sweeps that anderson looks back on"),
      number("eps", &S::eps, 0.0, 0.1, "regularisation, relative to the diagonal"),
      number("redundant", &S::redundant, 0.0, 0.1, "rows with smaller pivots, relative to the diagonal, are left out"),
      number("eliminate", &S::eliminate, 0, 5,
             "contacts on a mechanism up to which they are solved first with its joints eliminated; 0: never"),
      boolean("batching", &S::batching, "equal mechanisms are factored eight at a time (same bits)"),
  };
}

Fields<SoftStepSettings> soft_step_fields() {
  using S = SoftStepSettings;
  return {
      number("sub_steps", &S::sub_steps, 0, 1000,
             "per step; 0: 8 in islands of up to 256 manifolds, most of them of several points, else 4"),
      number("iterations", &S::iterations, 1, 1000, "soft sweeps per sub-step"),
      number("relax", &S::relax, 0, 1000,
             "rigid sweeps per sub-step that take back the speed of the push-out (0: 2 where most manifolds are flat, "
             "else 1)"),
      number("cold_relax", &S::cold_relax, 0, 1000,
             "the same for islands in which nearly no contact has an impulse to start from; 0: as relax"),
      number("hertz", &S::hertz, 0.0, 1e6, "frequency of soft contacts; 0: a quarter of the rate of sub-steps"),
      number("damping_ratio", &S::damping_ratio, 0.0, 1000.0, "of soft contacts; higher: tall stacks rock longer"),
      number("still_factor", &S::still_factor, 0.1, 100.0, "frequency of contacts with bodies that cannot move"),
      number("push", &S::push, 0.0, 1000.0, "m/s, fastest push-out"),
      number("slop", &S::slop, 0.0, 1.0, "m, overlap left alone"),
      number("max_residual", &S::max_residual, 0.0, 1e6, "islands above are solved again by `stronger`; 0: never"),
      number("max_ms", &S::max_ms, 0.0, 1e9, "ms of a solve after which none is solved again; 0: no limit"),
      choice("stronger", &S::stronger,
             {{"nncg", "nncg"},
              {"anderson", "anderson"},
              {"nesterov", "nesterov"},
              {"gauss_seidel", "gauss_seidel"},
              {"ldl_pgs", "ldl_pgs"},
              {"exact", "exact"},
              {"reference", "reference"}},
             "what solves the islands that missed max_residual"),
  };
}

Fields<StaggeredSettings> staggered_fields(StaggeredMethod method) {
  using S = StaggeredSettings;
  Fields<S> fields{
      iterations_field<S>("turns of both quadratic programs"),
      number("tolerance", &S::tolerance, -1.0, 1.0,
             "residual of every island to stop at; 0: 1e-10; negative: as the caller says, 1e-10 where that is 0"),
      number("max_contacts", &S::max_contacts, 1, 4096, "of an island; larger ones go to `fallback`"),
      number("eps", &S::eps, 1e-12, 1e-2, "regularisation over the diagonal; vanishes in the end"),
      number("patience", &S::patience, 1, 1000000, "turns without a better answer before it is given up"),
      choice("fallback", &S::fallback,
             {{"ldl_pgs", "ldl_pgs"}, {"gauss_seidel", "gauss_seidel"}, {"nesterov", "nesterov"}, {"nncg", "nncg"}},
             "what solves islands that this method cannot take"),
  };
  if (method == StaggeredMethod::schurpa) return fields;
  fields.push_back(number("depth", &S::depth, 0, kMostDepth, "turns that Anderson's method looks back on; 0: none"));
  fields.push_back(boolean("realign", &S::realign, "corners of friction diamonds follow the direction of friction"));
  fields.push_back(
      number("facets", &S::facets, 4, 64, "of friction polygons, a multiple of 4; more than 4: they stay"));
  return fields;
}

template <class S>
std::vector<SettingInfo> describe(const Fields<S>& fields, const S& defaults) {
  std::vector<SettingInfo> result;
  for (const Field<S>& field : fields) result.push_back({field.name, field.get(defaults), field.allowed, field.help});
  return result;
}

template <class S>
S parse(std::string_view solver, const Fields<S>& fields, S settings, const NamedSettings& given) {
  for (const auto& [name, value] : given) {
    const auto field =
        std::find_if(fields.begin(), fields.end(), [&name = name](const Field<S>& f) { return f.name == name; });
    if (field == fields.end()) {
      std::vector<std::string> names;
      for (const Field<S>& f : fields) names.push_back(f.name);
      fail_input(fmt::format("solver {} has no setting '{}'; did you mean '{}'? `cairn solvers` lists them all", solver,
                             name, nearest_name(name, names)));
    }
    field->set(settings, value);
  }
  return settings;
}

/// One row of the table.
struct Entry {
  std::string name, summary;
  bool joints, assembled;
  std::function<std::vector<SettingInfo>()> settings;
  std::function<SolverSettings(const NamedSettings&)> parse;
};

Entry prox_entry(std::string name, std::string summary, ProxSettings defaults) {
  const bool assembled = defaults.friction_order == FrictionOrder::block;
  return {name,
          std::move(summary),
          true,
          assembled,
          [=] { return describe(prox_fields(), defaults); },
          [=](const NamedSettings& given) { return parse(name, prox_fields(), defaults, given); }};
}

/// Gauss-Seidel by colours, accelerated.
ProxSettings accelerated(Acceleration acceleration) {
  ProxSettings settings;
  settings.acceleration = acceleration;
  return settings;
}

Entry splitting_entry(std::string name, std::string summary, SplittingMethod method) {
  SplittingSettings defaults;
  defaults.method = method;
  if (method == SplittingMethod::rows) defaults.friction_order = FrictionOrder::staggered;  // a third of the sweeps
  return {name,
          std::move(summary),
          true,
          false,
          [=] { return describe(splitting_fields(method), defaults); },
          [=](const NamedSettings& given) { return parse(name, splitting_fields(method), defaults, given); }};
}

Entry reference_entry() {
  const std::string name = "reference";
  return {name,
          "proximal Newton and a smoothing path: slow, accurate, the oracle",
          false,
          true,
          [] { return describe(reference_fields(), ReferenceSettings{}); },
          [=](const NamedSettings& given) { return parse(name, reference_fields(), ReferenceSettings{}, given); }};
}

Entry exact_entry() {
  const std::string name = "exact";
  return {name,
          "semismooth Newton per island in body space: exact time steps, and the proof in the report",
          true,
          true,
          [] { return describe(exact_fields(), ExactSettings{}); },
          [=](const NamedSettings& given) { return parse(name, exact_fields(), ExactSettings{}, given); }};
}

Entry ldl_pgs_entry() {
  const std::string name = "ldl_pgs";
  return {name,
          "mechanisms: joints by a sparse direct method, contacts by Gauss-Seidel (doc 004)",
          true,
          true,
          [] { return describe(ldl_pgs_fields(), LdlPgsSettings{}); },
          [=](const NamedSettings& given) { return parse(name, ldl_pgs_fields(), LdlPgsSettings{}, given); }};
}

Entry staggered_entry(std::string name, std::string summary, StaggeredMethod method) {
  StaggeredSettings defaults;
  defaults.method = method;
  return {name,
          std::move(summary),
          true,
          true,
          [=] { return describe(staggered_fields(method), defaults); },
          [=](const NamedSettings& given) { return parse(name, staggered_fields(method), defaults, given); }};
}

Entry soft_step_entry() {
  const std::string name = "soft_step";
  return {name,
          "sub-steps of soft Gauss-Seidel in wide lanes: real time",
          true,
          false,
          [] { return describe(soft_step_fields(), SoftStepSettings{}); },
          [=](const NamedSettings& given) { return parse(name, soft_step_fields(), SoftStepSettings{}, given); }};
}

/// The prox family under the names its members are known by: each is gauss_seidel or jacobi with other defaults.
const std::vector<Entry>& entries() {
  ProxSettings jacobi, pgs, staggered;
  jacobi.order = SweepOrder::jacobi;
  pgs.schedule = ScheduleKind::greedy;
  pgs.local = LocalSolve::prox;
  staggered.schedule = ScheduleKind::greedy;
  staggered.friction_order = FrictionOrder::staggered;
  static const std::vector<Entry> kEntries{
      prox_entry("gauss_seidel", "projected Gauss-Seidel: the workhorse, fast and robust", {}),
      prox_entry("pgs", "gauss_seidel by colours on any problem: schedule=greedy, local=prox", pgs),
      prox_entry("jacobi", "projected Jacobi: order-independent, fully parallel, needs more sweeps", jacobi),
      prox_entry("nesterov", "gauss_seidel with acceleration=nesterov: momentum with restarts, the safest acceleration",
                 accelerated(Acceleration::nesterov)),
      prox_entry("anderson",
                 "gauss_seidel with acceleration=anderson: fits the last sweeps, fastest on smooth problems",
                 accelerated(Acceleration::anderson)),
      prox_entry("nncg", "gauss_seidel with acceleration=nncg: nonlinear conjugate gradients on the sweep",
                 accelerated(Acceleration::nncg)),
      ldl_pgs_entry(),
      splitting_entry("mass_splitting", "every row on its own share of the mass: order-independent, slow to converge",
                      SplittingMethod::rows),
      splitting_entry("block_mass_splitting",
                      "pairs of bodies on their own shares of the mass: order-independent, fully parallel",
                      SplittingMethod::blocks),
      splitting_entry("jacobi_line_search", "projected Jacobi, as far as the energy falls: order-independent",
                      SplittingMethod::line_search),
      prox_entry("pgs_staggered", "pgs with friction after the normals of all contacts: the rival of doc 001",
                 staggered),
      soft_step_entry(),
      staggered_entry("schurpa",
                      "contacts without friction and joints as one QP, exactly: active sets, one factorisation",
                      StaggeredMethod::schurpa),
      staggered_entry("staggered_schurpa",
                      "contact and friction QPs in turn, exactly, one factorisation each: small islands that stick",
                      StaggeredMethod::staggered_schurpa),
      staggered_entry("staggered_direct", "staggered_schurpa with a factorisation per active set: its rival",
                      StaggeredMethod::staggered_direct),
      exact_entry(),
      reference_entry(),
  };
  return kEntries;
}

}  // namespace

std::unique_ptr<Solver> make_solver(const SolverSettings& settings) {
  struct Make {
    std::unique_ptr<Solver> operator()(const ProxSettings& s) const { return std::make_unique<ProxSolver>(s); }
    std::unique_ptr<Solver> operator()(const SplittingSettings& s) const {
      return std::make_unique<SplittingSolver>(s);
    }
    std::unique_ptr<Solver> operator()(const ReferenceSettings& s) const {
      return std::make_unique<ReferenceSolver>(s);
    }
    std::unique_ptr<Solver> operator()(const ExactSettings& s) const { return std::make_unique<ExactSolver>(s); }
    std::unique_ptr<Solver> operator()(const LdlPgsSettings& s) const { return std::make_unique<LdlPgsSolver>(s); }
    std::unique_ptr<Solver> operator()(const StaggeredSettings& s) const {
      return std::make_unique<StaggeredSolver>(s, make_solver(s.fallback));
    }
    std::unique_ptr<Solver> operator()(const SoftStepSettings& s) const {
      auto quick = std::make_unique<SoftStepSolver>(s);
      require(s.max_ms == 0 || s.max_residual > 0, "max_ms ends a contract: give max_residual as well");
      if (s.max_residual == 0) return quick;
      return std::make_unique<ContractSolver>(ContractSettings{s.max_residual, s.max_ms}, std::move(quick),
                                              make_solver(s.stronger));
    }
  };
  return std::visit(Make{}, settings);
}

std::vector<SolverInfo> solver_table() {
  std::vector<SolverInfo> table;
  for (const Entry& entry : entries())
    table.push_back({entry.name, entry.summary, entry.joints, entry.assembled, entry.settings()});
  return table;
}

std::unique_ptr<Solver> make_solver(std::string_view name, const NamedSettings& settings) {
  std::vector<std::string> names;
  for (const Entry& entry : entries()) {
    if (entry.name == name) return make_solver(entry.parse(settings));
    names.push_back(entry.name);
  }
  fail_input(fmt::format("there is no solver '{}'; did you mean '{}'? `cairn solvers` lists them all", name,
                         nearest_name(name, names)));
}

}  // namespace cairn
