// SPDX-License-Identifier: MIT
// MuJoCo: Newton's method on soft contacts with pyramidal cones, semi-implicit Euler, one thread, all by its defaults.
// Joints make trees of bodies. Of two surfaces the larger friction counts. Left out are surfaces of triangles, which it
// takes by their convex hull, and large scenes: the matrix of its solver is dense.
#include <fmt/core.h>
#include <mujoco/mujoco.h>

#include <algorithm>
#include <cstring>

#include "benchmarks/peers/peer.h"
#include "cairn/core/index.h"

namespace cairn::peers {

namespace {

constexpr int kMostFreedoms = 1000, kMostContacts = 2000;

Vec3 to_vec3(const mjtNum* v) { return {v[0], v[1], v[2]}; }

std::string text(const Vec3& v) { return fmt::format("{:.17g} {:.17g} {:.17g}", v.x, v.y, v.z); }
std::string text(const Quat& q) { return fmt::format("{:.17g} {:.17g} {:.17g} {:.17g}", q.w, q.x, q.y, q.z); }
std::string place(const Pose& pose) {
  return fmt::format("pos=\"{}\" quat=\"{}\"", text(pose.position), text(pose.orientation));
}

/// A half-space is a plane whose z axis is the normal: the shortest turn from z, half a turn where they are opposed.
Pose plane_pose(const HalfSpace& plane) {
  const Vec3& n = plane.normal;
  const Quat turn = n.z < -1 + 1e-12 ? Quat{0, 1, 0, 0} : normalised(Quat{1 + n.z, -n.y, n.x, 0});
  return {plane.offset * n, turn};
}

std::string geom(const PeerBody& body, const PeerShape& shape, const Pose& at) {
  std::string kind;
  Pose pose = at;
  if (const auto* s = std::get_if<Sphere>(&shape.shape)) {
    kind = fmt::format("type=\"sphere\" size=\"{:.17g}\"", s->radius);
  } else if (const auto* b = std::get_if<Box>(&shape.shape)) {
    kind = fmt::format("type=\"box\" size=\"{}\"", text(b->half));
  } else if (const auto* c = std::get_if<Capsule>(&shape.shape)) {
    kind = fmt::format("type=\"capsule\" size=\"{:.17g} {:.17g}\"", c->radius, c->half_length);
  } else if (const auto* p = std::get_if<HalfSpace>(&shape.shape)) {
    kind = "type=\"plane\" size=\"0 0 1\"";
    pose = at * plane_pose(*p);
  } else {
    cannot(shape_name(shape.shape));
  }
  constexpr std::uint32_t kBits = 0x7fffffff;
  return fmt::format("<geom {} {} friction=\"{:.17g} 0.005 0.0001\" contype=\"{}\" conaffinity=\"{}\"/>\n", kind,
                     place(pose), body.friction, body.layer & kBits, body.mask & kBits);
}

/// The scene in MuJoCo's own language.
class Writer {
 public:
  explicit Writer(const PeerScene& scene) : scene_(scene), parent_(scene.bodies.size(), nullptr) {
    for (const PeerJoint& joint : scene.joints) {
      const PeerJoint*& parent = parent_[to_index(std::max(joint.b, 0))];
      if (joint.b < 0 || joint.a >= joint.b || parent != nullptr) cannot("loops of joints");
      if (joint.collide) cannot("joined bodies that collide");
      parent = &joint;
    }
  }

  std::string write(double dt) {
    std::string bodies;
    for (std::size_t i = 0; i < scene_.bodies.size(); ++i)
      if (parent_[i] == nullptr || parent_[i]->a < 0) bodies += body(i, Pose{});
    if (freedoms_ > kMostFreedoms) cannot(fmt::format("more than {} degrees of freedom", kMostFreedoms));
    const int contacts = std::min(kMostContacts, 16 * static_cast<int>(scene_.bodies.size()) + 100);
    return fmt::format(
        "<mujoco><compiler boundmass=\"0\" boundinertia=\"0\"/><option timestep=\"{:.17g}\" gravity=\"{}\"/>"
        "<size nconmax=\"{}\" njmax=\"{}\"/><worldbody>\n{}</worldbody></mujoco>",
        dt, text(scene_.gravity), contacts, 4 * contacts + 1000, bodies);
  }

 private:
  std::string joint(std::size_t i) {
    const PeerJoint* at = parent_[i];
    if (at == nullptr) {
      freedoms_ += 6;
      return "<freejoint/>\n";
    }
    const Velocity& v = scene_.bodies[i].velocity;
    if (!(v == Velocity{})) cannot("joined bodies that move at the start");
    const bool hinge = at->kind == PeerJointKind::hinge;
    freedoms_ += hinge ? 1 : 3;
    return fmt::format("<joint type=\"{}\" pos=\"{}\" axis=\"{}\"/>\n", hinge ? "hinge" : "ball",
                       text(at->frame_b.position), text(rotate(at->frame_b.orientation, {1, 0, 0})));
  }

  /// With all that hangs on it; `outer` is where its parent stands.
  std::string body(std::size_t i, const Pose& outer) {
    const PeerBody& b = scene_.bodies[i];
    std::string result;
    if (!b.dynamic) {
      for (const PeerShape& shape : b.shapes) result += geom(b, shape, b.pose * shape.pose);
      return result;
    }
    result = fmt::format("<body name=\"b{}\" {}>\n<inertial pos=\"0 0 0\" mass=\"{:.17g}\" diaginertia=\"{}\"/>\n", i,
                         place(inverse(outer) * b.pose), b.mass, text(b.inertia));
    result += joint(i);
    for (const PeerShape& shape : b.shapes) result += geom(b, shape, shape.pose);
    for (std::size_t k = i + 1; k < parent_.size(); ++k)
      if (parent_[k] != nullptr && parent_[k]->a == static_cast<int>(i)) result += body(k, b.pose);
    return result + "</body>\n";
  }

  const PeerScene& scene_;
  std::vector<const PeerJoint*> parent_;  ///< per body: the joint by which it hangs on another, or none
  int freedoms_ = 0;
};

struct ModelDeleter {
  void operator()(mjModel* model) const { mj_deleteModel(model); }
};
struct DataDeleter {
  void operator()(mjData* data) const { mj_deleteData(data); }
};
struct FilesDeleter {
  void operator()(mjVFS* files) const {
    mj_deleteVFS(files);
    delete files;
  }
};

class MujocoPeer : public Peer {
 public:
  explicit MujocoPeer(const PeerScene& scene) : scene_(scene) {
    mju_user_warning = [](const char*) {};  // else it writes a file where the program runs
    load(Writer(scene_).write(1.0 / 60));
    for (std::size_t i = 0; i < scene_.bodies.size(); ++i) {
      id_.push_back(mj_name2id(model_.get(), mjOBJ_BODY, fmt::format("b{}", i).c_str()));
      if (id_.back() >= 0) set_velocity(id_.back(), scene_.bodies[i]);
    }
    mj_forward(model_.get(), data_.get());
  }

  void set_threads(int) override {}
  void step(double dt) override {
    model_->opt.timestep = dt;
    mj_step(model_.get(), data_.get());
  }
  /// A step leaves places of its beginning behind; they follow from the coordinates.
  void read(std::span<PeerState> out) const override {
    mj_kinematics(model_.get(), data_.get());
    mj_comPos(model_.get(), data_.get());
    mj_comVel(model_.get(), data_.get());
    for (std::size_t i = 0; i < out.size(); ++i) {
      const PeerBody& body = scene_.bodies[i];
      if (id_[i] < 0) {
        out[i] = state_of(body, body.pose, {});
        continue;
      }
      mjtNum velocity[6];
      mj_objectVelocity(model_.get(), data_.get(), mjOBJ_XBODY, id_[i], velocity, 0);
      const mjtNum* q = data_->xquat + 4 * id_[i];
      out[i] = state_of(body, {to_vec3(data_->xpos + 3 * id_[i]), normalised(Quat{q[0], q[1], q[2], q[3]})},
                        {to_vec3(velocity + 3), to_vec3(velocity)});
    }
  }
  std::int64_t contacts() const override { return data_->ncon; }

 private:
  void load(const std::string& xml) {
    const std::unique_ptr<mjVFS, FilesDeleter> files(new mjVFS);
    mj_defaultVFS(files.get());
    mj_makeEmptyFileVFS(files.get(), "scene.xml", static_cast<int>(xml.size()));
    std::memcpy(files->filedata[mj_findFileVFS(files.get(), "scene.xml")], xml.data(), xml.size());
    char error[1000] = "";
    model_.reset(mj_loadXML("scene.xml", files.get(), error, sizeof(error)));
    if (!model_) cannot(error);
    data_.reset(mj_makeData(model_.get()));
    if (!data_) cannot("too little memory");
  }
  /// Of a free body: turning is told in its own axes.
  void set_velocity(int id, const PeerBody& body) {
    const int joint = model_->body_jntadr[id];
    if (joint < 0 || model_->jnt_type[joint] != mjJNT_FREE) return;
    const Vec3 spin = rotate_back(body.pose.orientation, body.velocity.angular);
    const double values[6] = {
        body.velocity.linear.x, body.velocity.linear.y, body.velocity.linear.z, spin.x, spin.y, spin.z};
    std::copy(values, values + 6, data_->qvel + model_->jnt_dofadr[joint]);
  }

  const PeerScene scene_;
  std::unique_ptr<mjModel, ModelDeleter> model_;
  std::unique_ptr<mjData, DataDeleter> data_;
  std::vector<int> id_;  ///< per body; -1 for those that do not move
};

}  // namespace

PeerInfo mujoco_peer() {
  return {"mujoco", mj_versionString(), "libmujoco-dev", 1,
          [](const PeerScene& scene) -> std::unique_ptr<Peer> { return std::make_unique<MujocoPeer>(scene); }};
}

}  // namespace cairn::peers
