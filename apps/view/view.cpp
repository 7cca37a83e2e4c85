// SPDX-License-Identifier: MIT
// cairn view: a scene that runs behind a page, or a recording in one.
#include <fmt/core.h>

#include "apps/cli/commands.h"
#include "apps/cli/progress.h"
#include "apps/cli/streams.h"
#include "apps/commands/scene_source.h"
#include "apps/view/view_curves.h"
#include "apps/view/view_door.h"
#include "apps/view/view_scenes.h"
#include "apps/view/view_server.h"
#include "apps/view/viewer_page.h"
#include "cairn/simd/simd.h"

namespace cairn::cli {

namespace {

constexpr double kMostPageMb = 2000;  // of a recording: it stays on this machine

bool is_recording(const std::string& name) { return name.size() > 3 && name.substr(name.size() - 3) == ".h5"; }

/// The only place where the token is told.
void print_address(const ViewServer& server, const ViewServerSettings& settings) {
  fmt::print("http://127.0.0.1:{}/?token={}\n", server.port(), settings.token);
  if (const std::string reason = lost_output(); !reason.empty())
    fail_input(fmt::format("the address could not be written to standard output: {}", reason), ErrorKind::io);
  fmt::print(stderr,
             "Open this address in a browser on this machine; from elsewhere first: ssh -L {0}:127.0.0.1:{0} HOST. "
             "Ctrl-C ends it.\n",
             server.port());
}

void print_summary(const LiveSummary& s, const ViewCounts& counts) {
  fmt::print("\nstep {} of {} kept, {:.3f} s simulated in {:.1f} s, {} steps computed with {}\n", s.step, s.newest,
             s.time, s.seconds, s.computed, s.solver);
  fmt::print("viewers {}, frames sent {}, {:.1f} MB\n", counts.served, counts.frames,
             1e-6 * static_cast<double>(counts.bytes));
  if (s.mismatches > 0)
    fmt::print("steps that came out otherwise when they were done again: {} (a solver with a time limit?)\n",
               s.mismatches);
  fmt::print("state {}\n", s.hash);
}

int view_recording(const ViewOptions& o, ViewServerSettings settings) {
  const RunOptions& run = o.run;
  if (!run.solver.empty() || !run.settings.empty() || !run.parameters.empty() || run.dt || run.sub_steps || o.paused)
    fail_input("a recording is shown as it was computed: leave the options of the run out");
  ExportOptions page;
  page.problem = o.run.scene;
  page.max_mb = kMostPageMb;
  settings.page = recording_page(page);
  if (interrupted()) return interrupt_code();
  ViewServer server(settings);
  print_address(server, settings);
  server.run(nullptr, interrupted());
  return kDone;
}

int view_scene(const ViewOptions& o, ViewServerSettings settings) {
  force_simd(o.run.simd);
  NamedSettings parameters;
  for (const std::string& text : o.run.parameters) parameters.push_back(split_setting(text));
  LiveLoaded loaded = view_load(o.run, o.run.scene, parameters);
  LiveSettings live;
  live.run.history_bytes = static_cast<std::size_t>(1e6 * o.history_mb);
  live.scene = loaded.scene;
  live.program = fmt::format("cairn {}, compiler {}", kProgramVersion, __VERSION__);
  live.body_names = loaded.body_names, live.body_colours = loaded.body_colours;
  live.joint_names = loaded.joint_names;
  live.dt = loaded.dt;
  live.paused = o.paused;
  live.wait = true;
  live.cameras = loaded.cameras;
  live.curves = view_curves;
  live.catalogue = [&run = o.run] { return view_catalogue(run); };
  live.load = [&run = o.run](const std::string& scene, const NamedSettings& named) {
    return view_load(run, scene, named);
  };
  live.save = view_save;
  settings.page = live_page();
  ViewServer server(settings);
  LiveSession session(std::move(loaded.world), std::move(live), server.listener());
  print_address(server, settings);
  server.run(&session, interrupted());
  print_summary(session.summary(), server.counts());
  return kDone;
}

}  // namespace

int run_view(const ViewOptions& o) {
  require_viewer();
  ViewServerSettings settings;
  settings.port = o.port;
  settings.token = make_token();
  try {
    return is_recording(o.run.scene) ? view_recording(o, std::move(settings)) : view_scene(o, std::move(settings));
  } catch (const PortError& error) {
    fmt::print(stderr, "cairn: {}\n", error.what());
    return kNoPort;
  }
}

}  // namespace cairn::cli
