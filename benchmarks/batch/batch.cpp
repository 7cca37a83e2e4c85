// SPDX-License-Identifier: MIT
// Many small robots: steps per second of a WorldBatch of carts with poles, and of the same loop over MuJoCo's mj_step
// on one thread. Usage: bench_batch [WORLDS] [STEPS]. Built on request: ninja -C build/release bench_batch
#include <fmt/core.h>
#include <mujoco/mujoco.h>

#include <cmath>
#include <cstdlib>

#include "cairn/cairn.h"
#include "cairn/core/timer.h"

namespace {

using namespace cairn;

constexpr double kStep = 1.0 / 60;

/// The same cart and pole for MuJoCo: masses from densities, joints without friction.
constexpr const char* kModel =
    "<mujoco><option timestep='0.016666666666666666' gravity='0 0 -9.81'/><worldbody>"
    "<body><joint name='slider' type='slide' axis='1 0 0'/>"
    "<geom type='box' size='0.2 0.1 0.05' density='500' contype='0' conaffinity='0'/>"
    "<body pos='0 0 0.5'><joint type='hinge' axis='0 1 0' pos='0 0 -0.5'/>"
    "<geom type='box' size='0.02 0.02 0.5' density='250' contype='0' conaffinity='0'/></body></body></worldbody>"
    "<actuator><motor joint='slider'/></actuator></mujoco>";

double force(std::size_t world, int step) { return 5 * std::sin(0.2 * step + 0.01 * static_cast<double>(world)); }

WorldBatch make_batch(std::size_t count, const std::string& solver, int threads) {
  std::vector<World> worlds;
  JointId slider, hinge;
  for (std::size_t i = 0; i < count; ++i) {
    WorldSettings settings;
    settings.solver = solver;
    World world(settings);
    const BodyId cart = world.add_body({}, {{.shape = make_box({0.2, 0.1, 0.05}), .density = 500}});
    const BodyId pole =
        world.add_body({.pose = {{0, 0, 0.5}, {}}}, {{.shape = make_box({0.02, 0.02, 0.5}), .density = 250}});
    slider = world.add_joint(world.joint_at({}, cart, frame_along({}, {1, 0, 0}), PrismaticJoint{}));
    hinge = world.add_joint(world.joint_at(cart, pole, frame_along({}, {0, 1, 0}), HingeJoint{}));
    worlds.push_back(std::move(world));
  }
  BatchChannels channels;
  channels.actions = {{ActionKind::joint_force, slider}};
  channels.observations = {{ObservationKind::joint_position, slider}, {ObservationKind::joint_position, hinge}};
  return WorldBatch(std::move(worlds), channels, threads);
}

/// Steps per second by the clock, and per second of all processors together.
class Rate {
 public:
  void report(const std::string& name, double steps, double position, double angle) const {
    fmt::print("{:26} {:8.0f} steps/s {:8.0f} per processor second   world 0: cart {:+.4f} m, pole {:+.4f} rad\n", name,
               steps / wall_.seconds(), steps / cpu_.seconds(), position, angle);
  }

 private:
  Timer wall_;
  CpuTimer cpu_;
};

void run_cairn(std::size_t count, int steps, const std::string& solver, int threads) {
  WorldBatch batch = make_batch(count, solver, threads);
  std::vector<double> actions(count), seen(count * batch.observation_size());
  const Rate rate;
  for (int k = 0; k < steps; ++k) {
    for (std::size_t i = 0; i < count; ++i) actions[i] = force(i, k);
    batch.step(kStep, actions);
    batch.observe(seen);
  }
  rate.report(fmt::format("cairn {}, {} threads", solver, threads), double(count) * steps, seen[0], seen[1]);
}

void run_mujoco(std::size_t count, int steps) {
  char message[1000] = "";
  mjVFS* files = new mjVFS;
  mj_defaultVFS(files);
  const int file = mj_makeEmptyFileVFS(files, "model.xml", static_cast<int>(std::string(kModel).size()));
  std::copy_n(kModel, std::string(kModel).size(), static_cast<char*>(files->filedata[file]));
  mjModel* model = mj_loadXML("model.xml", files, message, sizeof message);
  mj_deleteVFS(files);
  delete files;
  if (model == nullptr) fail_input(fmt::format("MuJoCo does not take the model: {}", message));
  std::vector<mjData*> data(count);
  for (mjData*& d : data) d = mj_makeData(model);
  const Rate rate;
  for (int k = 0; k < steps; ++k) {
    for (std::size_t i = 0; i < count; ++i) {
      data[i]->ctrl[0] = force(i, k);
      mj_step(model, data[i]);
    }
  }
  rate.report("mujoco mj_step, 1 thread", double(count) * steps, data[0]->qpos[0], data[0]->qpos[1]);
  for (mjData* d : data) mj_deleteData(d);
  mj_deleteModel(model);
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t count = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 1000;
  const int steps = argc > 2 ? std::atoi(argv[2]) : 100;
  for (const char* solver : {"soft_step", "ldl_pgs"})
    for (const int threads : {1, 2}) run_cairn(count, steps, solver, threads);
  run_mujoco(count, steps);
}
