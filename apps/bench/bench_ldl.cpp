// SPDX-License-Identifier: MIT
// cairn bench ldl: the tables of Mizerski 2020 with its published figures beside ours, and the time of the numeric
// phase and the solve beside Eigen and CHOLMOD.
//
// Protocol: symbolic phases are done once, outside. Each contestant factors the same matrix and solves with it; ours
// and theirs take turns, and the best of many rounds counts: the machine can only make a round slower. Assembling the
// matrix is timed apart, since the others are given it for nothing. At the end, how far joints come apart in scenes
// that are stepped with sweeps alone and with the direct solve.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <limits>

#include "apps/bench/bench_ldl_errors.h"
#include "apps/bench/sparse_peer.h"
#include "apps/cli/commands.h"
#include "apps/cli/csv.h"
#include "apps/cli/progress.h"
#include "apps/plots/plot_page.h"
#include "cairn/core/index.h"
#include "cairn/core/timer.h"
#include "cairn/solvers/ldl/ldl_joints.h"
#include "scenes/mechanism_problems.h"

namespace cairn::cli {

namespace {

constexpr double kMicro = 1e6;
constexpr int kCalls = 20;  // of a microsecond or more per reading of the clock

struct Mechanism {
  std::string name, published;  ///< rows, density and flops that Mizerski 2020 prints
  LdlHubs hubs = LdlHubs::hub;
  ContactProblem problem;
};

std::vector<Mechanism> mechanisms() {
  constexpr double kDisorder = 0.1;  // regular matrices: ideal rings and loops are redundant
  const ContactProblem vehicle = scenes::wheeled_vehicle(scenes::vehicle_rows(), kDisorder);
  const ContactProblem tree = scenes::tree_of_fifty(kDisorder);
  return {
      {"track", "200, 7.5 %, 43k, 35 us", LdlHubs::hub, scenes::track_ring(40, kDisorder)},
      {"vehicle, plain", "88, 100 %, 250k", LdlHubs::plain, vehicle},
      {"vehicle, shattered", "142, 17.5 %, 35k, 34 us", LdlHubs::shatter, vehicle},
      {"vehicle, hub", "", LdlHubs::hub, vehicle},
      {"tree of 50, plain", "246, 12 %, 90k, 70 us", LdlHubs::plain, tree},
      {"tree of 50, hub", "", LdlHubs::hub, tree},
      {"ragdoll", "", LdlHubs::hub, scenes::ragdolls(1, 0.05)},
      {"heavy chain of 20", "", LdlHubs::hub, scenes::hanging_chain(20, 1000, 0.05)},
  };
}

struct Measurement {
  std::string name, published;
  LdlCounts counts;
  double assemble = 0, factor = 0, solve = 0;  ///< microseconds
  struct Peer {
    std::string name;
    double factor = 0, solve = 0;
  };
  std::vector<Peer> peers;
  double difference = 0;  ///< largest, between our impulses and those of the peers, over the largest impulse
};

/// J M^-1 J^T with the regularisation of ours, entry by entry.
std::vector<SparseEntry> joint_matrix(const ContactProblem& problem, double eps) {
  std::vector<SparseEntry> entries;
  std::vector<Velocity> u(problem.bodies.size());
  for (const JointBlock& joint : problem.joints)
    for (std::int32_t k = joint.first_row; k < joint.first_row + joint.row_count; ++k) {
      Velocity &a = u[to_index(joint.body_a)], &b = u[to_index(joint.body_b)];
      apply_joint_impulse(problem, joint, problem.joint_rows[to_index(k)], 1.0, a, b);
      for (const JointBlock& other : problem.joints) {
        const Velocity &c = u[to_index(other.body_a)], &d = u[to_index(other.body_b)];
        if (c == Velocity{} && d == Velocity{}) continue;
        for (std::int32_t i = other.first_row; i < other.first_row + other.row_count; ++i)
          entries.push_back({i, k, joint_velocity(problem.joint_rows[to_index(i)], c, d) * (i == k ? 1 + eps : 1.0)});
      }
      a = b = {};
    }
  return entries;
}

/// The best time of one call in microseconds, for several contestants that take turns.
std::vector<double> race(const std::vector<std::function<void()>>& contestants, int rounds, int calls) {
  std::vector<double> best(contestants.size(), std::numeric_limits<double>::infinity());
  for (int round = 0; round < rounds; ++round)
    for (std::size_t i = 0; i < contestants.size(); ++i) {
      Timer timer;
      for (int call = 0; call < calls; ++call) contestants[i]();
      best[i] = std::min(best[i], timer.seconds() * kMicro / calls);
    }
  return best;
}

LdlMechanism first_mechanism(const ContactProblem& problem) {
  LdlMechanismFinder finder;
  std::vector<LdlMechanism> found;
  std::size_t count = 0;
  finder.find(problem, nullptr, found, count);
  return found[0];
}

std::vector<double> some_rhs(std::size_t rows) {
  Random random(1);
  std::vector<double> rhs(rows);
  for (double& value : rhs) value = random.uniform(-1, 1);
  return rhs;
}

/// Our impulses in the order of the problem's rows.
std::vector<double> impulses(const LdlFactor& factor, const LdlMechanism& mechanism) {
  std::vector<double> result(mechanism.rows.size());
  for (std::size_t r = 0; r < result.size(); ++r)
    result[to_index(mechanism.rows[r])] = factor.impulse(0, static_cast<std::int32_t>(r));
  return result;
}

Measurement measure(const Mechanism& given, int rounds) {
  Measurement m;
  m.name = given.name, m.published = given.published;
  const LdlMechanism mechanism = first_mechanism(given.problem);
  const auto program = std::make_shared<const LdlProgram>(mechanism.structure,
                                                          LdlProgramSettings{given.hubs, LdlOrdering::automatic, 20});
  m.counts = program->counts();
  const std::size_t rows = mechanism.rows.size();
  const std::vector<std::uint8_t> all(rows, 1);
  const std::vector<double> rhs = some_rhs(rows);
  const LdlRegularisation regularisation;
  LdlFactor factor;
  factor.reset(program, 1);
  const LdlMechanism* const only = &mechanism;
  factor.load(given.problem, {&only, 1}, all);
  for (std::size_t r = 0; r < rows; ++r)
    factor.set_rhs(0, static_cast<std::int32_t>(r), rhs[to_index(mechanism.rows[r])]);

  std::vector<std::unique_ptr<SparsePeer>> peers;
  peers.push_back(make_eigen_peer());
  if (auto cholmod = make_cholmod_peer()) peers.push_back(std::move(cholmod));
  const std::vector<SparseEntry> matrix = joint_matrix(given.problem, regularisation.eps);
  std::vector<double> x(rows);
  std::vector<std::function<void()>> contestants{[&] { factor.assemble(regularisation); },
                                                 [&] { factor.factor(regularisation); }, [&] { factor.solve(0); }};
  for (const auto& peer : peers) {
    peer->analyse(static_cast<int>(rows), matrix);
    contestants.emplace_back([&] { peer->factor(); });
    contestants.emplace_back([&] { peer->solve(rhs, x); });
  }
  const std::vector<double> best = race(contestants, rounds, kCalls);
  // The factor overwrites the matrix, so that it cannot be timed without assembling it again.
  m.assemble = best[0], m.factor = best[1] - best[0], m.solve = best[2];
  const std::vector<double> ours = impulses(factor, mechanism);
  double largest = 0;
  for (const double value : ours) largest = std::max(largest, std::fabs(value));
  for (std::size_t p = 0; p < peers.size(); ++p) {
    m.peers.push_back({peers[p]->name(), best[3 + 2 * p], best[4 + 2 * p]});
    peers[p]->solve(rhs, x);
    for (std::size_t i = 0; i < rows; ++i) m.difference = std::max(m.difference, std::fabs(x[i] - ours[i]) / largest);
  }
  return m;
}

/// A hundred ragdolls one at a time and eight at a time: microseconds per doll.
struct BatchTimes {
  double single_prepare = 0, batch_prepare = 0, single_solve = 0, batch_solve = 0;  ///< with loading
  double single_numeric = 0, batch_numeric = 0;  ///< assembly, factor and solve of data that is in place
};

BatchTimes measure_batches(int rounds) {
  constexpr int kDolls = 100;
  const ContactProblem problem = scenes::ragdolls(kDolls, 0.05);
  LdlSettings one_by_one;
  one_by_one.batching = false;
  LdlJoints single(one_by_one), batch({});
  const std::vector<double> rhs = some_rhs(problem.joint_rows.size());
  std::vector<double> x(rhs.size());
  const LdlMechanism mechanism = first_mechanism(problem);
  const auto program = std::make_shared<const LdlProgram>(mechanism.structure, LdlProgramSettings{});
  const std::vector<std::uint8_t> all(problem.joint_rows.size(), 1);
  LdlFactor one, eight;
  one.reset(program, 1);
  eight.reset(program, kLdlLanes);
  const LdlMechanism* const same = &mechanism;
  one.load(problem, {&same, 1}, all);
  eight.load(problem, {&same, 1}, all);
  const std::vector<double> best =
      race({[&] { single.prepare(problem, {}, nullptr); }, [&] { batch.prepare(problem, {}, nullptr); },
            [&] { single.solve_joints(rhs, x, 0, nullptr); }, [&] { batch.solve_joints(rhs, x, 0, nullptr); },
            [&] { one.factor({}), one.solve(0); }, [&] { eight.factor({}), eight.solve(0); }},
           rounds, 1);
  return {best[0] / kDolls, best[1] / kDolls, best[2] / kDolls, best[3] / kDolls, best[4], best[5] / kLdlLanes};
}

double ratio_to(const Measurement& m, const Measurement::Peer& peer) {
  return (peer.factor + peer.solve) / (m.factor + m.solve);
}

std::vector<std::string> row_of(const Measurement& m) {
  const LdlCounts& c = m.counts;
  std::vector<std::string> row{m.name,
                               std::to_string(c.nodes),
                               std::to_string(c.rows),
                               fmt::format("{:.2f}", 100 * c.density),
                               std::to_string(c.fill_blocks),
                               fmt::format("{:.1f}", 1e-3 * c.published_flops),
                               m.published,
                               fmt::format("{:.2f}", m.assemble),
                               fmt::format("{:.2f}", m.factor),
                               fmt::format("{:.2f}", m.solve)};
  for (const Measurement::Peer& peer : m.peers) {
    row.push_back(fmt::format("{:.1f} + {:.1f}", peer.factor, peer.solve));
    row.push_back(fmt::format("{:.1f}", ratio_to(m, peer)));
  }
  return row;
}

Table table_of(const std::vector<Measurement>& all) {
  Table table;
  table.title = "Sizes, work and microseconds";
  table.head = {"mechanism", "blocks",   "rows",     "density %", "fill",
                "kflops",    "Mizerski", "assemble", "factor",    "solve"};
  for (const Measurement::Peer& peer : all.front().peers) {
    table.head.push_back(peer.name);
    table.head.emplace_back("slower");
  }
  for (const Measurement& m : all) table.rows.push_back(row_of(m));
  table.caption =
      "Mizerski: rows, density, flops and time as published in 2020. Fill in blocks; flops by that convention, for "
      "the "
      "factor alone. Microseconds of one thread, symbolic phases done before; the others, factor + solve, are given "
      "the "
      "assembled matrix.";
  return table;
}

/// Dots where blocks are, in the order of `position`.
Series dots(const std::string& name, const std::vector<std::pair<int, int>>& blocks) {
  Series series;
  series.name = name;
  for (const auto& [row, column] : blocks) {
    series.x.insert(series.x.end(), {static_cast<double>(column), NAN});
    series.y.insert(series.y.end(), {static_cast<double>(-row), NAN});
  }
  return series;
}

/// The pattern as listed, and in the order of elimination with the blocks that it adds.
std::vector<Plot> pattern_plots(const Mechanism& given) {
  const LdlMechanism mechanism = first_mechanism(given.problem);
  const LdlProgram program(mechanism.structure, {given.hubs, LdlOrdering::automatic, 20});
  const std::vector<LdlStep>& steps = program.elimination().steps;
  std::vector<int> position(steps.size());
  for (std::size_t i = 0; i < steps.size(); ++i) position[to_index(steps[i].node)] = static_cast<int>(i);
  std::vector<std::pair<int, int>> listed, ordered, filled;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const int node = static_cast<int>(i);
    listed.emplace_back(node, node);
    ordered.emplace_back(node, node);
    for (const std::int32_t j : program.graph().neighbours[i]) {
      listed.emplace_back(node, j);
      ordered.emplace_back(position[i], position[to_index(j)]);
    }
    const auto mine = to_index(steps[i].node);
    for (const std::int32_t j : steps[i].column) {
      const std::vector<std::int32_t>& around = program.graph().neighbours[mine];
      if (!std::binary_search(around.begin(), around.end(), j)) filled.emplace_back(position[to_index(j)], node);
    }
  }
  Plot before, after;
  before.title = given.name + ": blocks of the matrix as listed";
  after.title = given.name + ": in the order of elimination";
  before.x_label = after.x_label = "column (block)";
  before.y_label = after.y_label = "- row (block)";
  before.series = {dots("matrix", listed)};
  after.series = {dots("matrix", ordered)};
  if (!filled.empty()) after.series.push_back(dots("fill", filled));
  Series order;
  order.name = "order";
  order.markers = true;
  for (std::size_t i = 0; i < steps.size(); ++i)
    order.x.push_back(static_cast<double>(i)), order.y.push_back(steps[i].node);
  Plot sequence;
  sequence.title = given.name + ": which block goes when";
  sequence.x_label = "step";
  sequence.y_label = "block, as listed (hubs and glue last)";
  sequence.series = {order};
  return {before, after, sequence};
}

std::string csv_of(const std::vector<Measurement>& all, const BatchTimes& batches) {
  Csv csv({"mechanism", "solver", "rows", "density", "fill_blocks", "flops", "assemble_us", "factor_us", "solve_us"});
  const auto line = [&](const Measurement& m, std::string_view solver, double assemble, double factor, double solve) {
    csv.cell(m.name).cell(solver).cell(m.counts.rows).cell(m.counts.density).cell(m.counts.fill_blocks);
    csv.cell(m.counts.published_flops).cell(assemble).cell(factor).cell(solve);
    csv.end_row();
  };
  for (const Measurement& m : all) {
    line(m, "cairn", m.assemble, m.factor, m.solve);
    for (const Measurement::Peer& peer : m.peers) line(m, peer.name, 0, peer.factor, peer.solve);
  }
  const auto batch = [&](std::string_view solver, double prepare, double solve) {
    csv.cell("ragdolls, each of 100").cell(solver).cell(53).cell(0.0).cell(0).cell(0.0);
    csv.cell(0.0).cell(prepare).cell(solve);
    csv.end_row();
  };
  batch("cairn, one at a time", batches.single_prepare, batches.single_solve);
  batch("cairn, eight at a time", batches.batch_prepare, batches.batch_solve);
  return std::string(csv.text());
}

std::string batch_text(const BatchTimes& b) {
  return fmt::format(
      "100 ragdolls, microseconds per doll, one at a time and eight at a time: numeric phase and solve {:.2f} and "
      "{:.2f} "
      "({:.1f} times faster); with finding the mechanisms and reading the joints {:.2f} and {:.2f} ({:.1f} times "
      "faster)",
      b.single_numeric, b.batch_numeric, b.single_numeric / b.batch_numeric, b.single_prepare + b.single_solve,
      b.batch_prepare + b.batch_solve, (b.single_prepare + b.single_solve) / (b.batch_prepare + b.batch_solve));
}

void print(const std::vector<Measurement>& all) {
  fmt::print("{:<20} {:>5} {:>8} {:>5} {:>7}  {:<24} {:>9} {:>7} {:>7}", "mechanism", "rows", "density", "fill",
             "kflops", "Mizerski", "assemble", "factor", "solve");
  for (const Measurement::Peer& peer : all.front().peers) fmt::print("  {:>20} {:>6}", peer.name, "slower");
  fmt::print("\n");
  for (const Measurement& m : all) {
    fmt::print("{:<20} {:>5} {:>6.2f} % {:>5} {:>7.1f}  {:<24} {:>6.2f} us {:>7.2f} {:>7.2f}", m.name, m.counts.rows,
               100 * m.counts.density, m.counts.fill_blocks, 1e-3 * m.counts.published_flops, m.published, m.assemble,
               m.factor, m.solve);
    for (const Measurement::Peer& peer : m.peers)
      fmt::print("  {:>20} {:>5.1f}x", fmt::format("{:.1f} + {:.1f} us", peer.factor, peer.solve), ratio_to(m, peer));
    if (m.difference > 1e-6) fmt::print("  differs by {:.1g}", m.difference);
    fmt::print("\n");
  }
}

Table error_table(const std::vector<JointErrorRun>& runs) {
  Table table;
  table.title = "Joints over time";
  table.head = {"scene", "solver", "largest separation (m)", "ms per step"};
  for (const JointErrorRun& run : runs)
    table.rows.push_back(
        {run.scene, run.solver, fmt::format("{:.3g}", run.largest), fmt::format("{:.3g}", run.milliseconds)});
  return table;
}

}  // namespace

int run_bench_ldl(const BenchLdlOptions& options) {
  const int rounds = options.quick ? 10 : 200;
  const std::filesystem::path folder = std::filesystem::path(options.out).parent_path();
  if (!folder.empty()) std::filesystem::create_directories(folder);
  for (const char* ending : {".csv", ".html"})
    if (!options.force) check_can_write(options.out + ending).value_or_throw();
  std::vector<Measurement> all;
  const std::vector<Mechanism> list = mechanisms();
  {
    Progress progress("bench ldl");
    for (const Mechanism& mechanism : list) {
      if (interrupted()) return kInterrupted;
      progress.update(mechanism.name);
      all.push_back(measure(mechanism, rounds));
    }
  }
  print(all);
  const BatchTimes batches = measure_batches(options.quick ? 20 : 1000);
  fmt::print("\n{}\n", batch_text(batches));
  const std::vector<JointErrorRun> runs = run_joint_errors(options.quick);
  if (runs.empty()) return kInterrupted;
  fmt::print("\n{:<18} {:<26} {:>22} {:>12}\n", "scene", "solver", "largest separation", "per step");
  for (const JointErrorRun& run : runs)
    fmt::print("{:<18} {:<26} {:>20.3g} m {:>9.3g} ms\n", run.scene, run.solver, run.largest, run.milliseconds);
  PlotPage page("Sparse block LDL of mechanisms", "Mizerski 2020 beside Cairn, Eigen and CHOLMOD");
  page.add(table_of(all));
  page.paragraph(batch_text(batches) + ".");
  page.heading("Joints over time");
  for (const Plot& plot : joint_error_plots(runs)) page.add(plot);
  page.add(error_table(runs));
  for (const Mechanism& mechanism : list) {
    page.heading(mechanism.name);
    for (const Plot& plot : pattern_plots(mechanism)) page.add(plot);
  }
  write_text_file(options.out + ".csv", csv_of(all, batches), options.force).value_or_throw();
  write_text_file(options.out + ".html", page.html(), options.force).value_or_throw();
  fmt::print("\nwrote {0}.csv and {0}.html\n", options.out);
  return kDone;
}

}  // namespace cairn::cli
