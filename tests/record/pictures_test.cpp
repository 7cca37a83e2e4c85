// SPDX-License-Identifier: MIT
// Frames for other programs: complete, well-formed, and of the poses they were given.
#include "cairn/record/pictures.h"

#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "cairn/io/xml_text.h"
#include "scenes/scene.h"

namespace cairn {
namespace {

World two_bodies() {
  World world;
  world.add_body({.kind = BodyKind::fixed}, {{.shape = make_half_space({0, 0, 1}, 0)}});
  world.add_body({.pose = {{1, 2, 3}}, .velocity = {{3, 0, 4}, {}}}, {{.shape = make_box({0.5, 0.5, 0.5})}});
  return world;
}

TEST(Pictures, VtpHasTheTrianglesWhereTheBodiesAre) {
  const World world = two_bodies();
  const BodyPictures bodies(world);
  const std::string text = to_vtp(bodies, take_frame(world, world.bodies()));
  const XmlDocument document(text, "frame.vtp");
  const XmlElement piece = document.root().child("PolyData").child("Piece");
  EXPECT_EQ(piece.number("NumberOfPoints"), 4 + 8);
  EXPECT_EQ(piece.number("NumberOfPolys"), 2 + 12);
  EXPECT_NE(text.find("\n0.5 1.5 2.5\n"), std::string::npos);  // a corner of the box
  EXPECT_NE(text.find("\n5\n"), std::string::npos);            // its speed
  const std::string index = to_pvd({{"a.vtp", 0.5}});
  const XmlElement set = XmlDocument(index, "x").root().child("Collection").child("DataSet");
  EXPECT_TRUE(set);
}

TEST(Pictures, PovHasEveryBodyAndNoNumbersThatAreNone) {
  scenes::Scene scene = scenes::make_scene("hopper").value_or_throw();
  const BodyPictures bodies(scene.world);
  const MotionFrame frame = take_frame(scene.world, scene.world.bodies());
  const PictureCamera camera = camera_for(bodies, frame);
  const std::string text = to_pov(bodies, frame, camera);
  std::size_t pigments = 0, parts = 0;
  for (std::size_t at = text.find("pigment{"); at != std::string::npos; at = text.find("pigment{", at + 1)) ++pigments;
  for (const auto& list : bodies.parts) parts += list.size();
  EXPECT_EQ(pigments, parts);
  EXPECT_EQ(text.find("nan"), std::string::npos);
  EXPECT_EQ(std::count(text.begin(), text.end(), '{'), std::count(text.begin(), text.end(), '}'));
  EXPECT_GT(norm(camera.position - camera.target), 1);
}

TEST(Pictures, TheCameraSeesWhatMoves) {
  const World world = two_bodies();
  const MotionFrame frame = take_frame(world, world.bodies());
  const PictureCamera camera = camera_for(BodyPictures(world), frame);
  EXPECT_NEAR(norm(camera.target - Vec3{1, 2, 3}), 0, 1e-12);
  // The ball around the box fits into the cone of view.
  const double distance = norm(camera.position - camera.target);
  EXPECT_GT(std::sin(0.5 * camera.field_of_view * kPi / 180) * distance, std::sqrt(0.75));
}

}  // namespace
}  // namespace cairn
