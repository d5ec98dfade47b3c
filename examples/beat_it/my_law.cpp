// A law for four wheels: PD with an integral and feedforward, that of docs/beat_it.md.
#include <cmath>
#include <valarray>

#include "geometry_msgs/msg/accel_stamped.hpp"
#include "geometry_msgs/msg/pose_stamped.hpp"
#include "nav_msgs/msg/odometry.hpp"
#include "rclcpp/rclcpp.hpp"
#include "sensor_msgs/msg/imu.hpp"
#include "sensor_msgs/msg/joint_state.hpp"

using geometry_msgs::msg::AccelStamped, geometry_msgs::msg::PoseStamped, nav_msgs::msg::Odometry;
using sensor_msgs::msg::Imu, sensor_msgs::msg::JointState;
using Vector = std::valarray<double>;  // x, y, z

const Vector J{0.033, 0.033, 0.0067};  // kg m^2
constexpr double H = 0.25, WN = 0.25, ZETA = 0.9, TI = 20.0;  // s between estimates, rad/s, 1, s
const Vector WHEELS[]{{1, 1, 1}, {-1, -1, 1}, {-1, 1, -1}, {1, -1, -1}};  // sqrt(3) times each axis
constexpr double SHARE = 0.4330127018922193;  // of a wheel in a torque: sqrt(3) / 4
Vector sum(3);  // rad: what the integral takes up

template<typename Message> Vector of(const Message & v) {return {v.x, v.y, v.z};}
Vector cross(Vector a, Vector b) {return a.cshift(1) * b.cshift(2) - a.cshift(2) * b.cshift(1);}

JointState answer(const Imu & imu, const Odometry & goal, const AccelStamped & moves)
{
  const auto & q = imu.orientation, & r = goal.pose.pose.orientation;
  const double w = q.w * r.w + (of(q) * of(r)).sum();  // of conj(q) r: reference to body axes
  const Vector v = q.w * of(r) - r.w * of(q) - cross(of(q), of(r));
  const auto in_body = [&](Vector b) {return Vector(b + 2.0 * cross(v, w * b + cross(v, b)));};
  const double s = std::sqrt((v * v).sum()), angle = 2.0 * std::atan2(s, std::abs(w));  // rad
  const Vector error = (s > 0.0 ? -std::copysign(angle / s, w) : 0.0) * v;  // rad
  if (angle < 0.1) {sum += H / TI * error;}
  const Vector rate = of(imu.angular_velocity), off = rate - in_body(of(goal.twist.twist.angular));
  const Vector torque = cross(rate, J * rate) + J * in_body(of(moves.accel.angular)) -
    WN * J * (WN * (error + sum) + 2.0 * ZETA * off);
  JointState command;
  command.header = imu.header;  // this stamp is what lockstep waits for
  command.name = {"w1", "w2", "w3", "w4"};
  for (const Vector & axis : WHEELS) {command.effort.push_back(-SHARE * (axis * torque).sum());}
  return command;
}

int main(int argc, char ** argv)
{
  rclcpp::init(argc, argv);
  const auto node = std::make_shared<rclcpp::Node>("my_law");
  const auto out = node->create_publisher<JointState>("command/wheels", 10);
  const auto aim = node->create_publisher<PoseStamped>("control/reference", 10);  // for `plot`
  Imu::SharedPtr imu;
  Odometry::SharedPtr goal;
  AccelStamped::SharedPtr moves;
  const auto act = [&] {  // three messages of one stamp are one tick
      if (!imu || !goal || !moves || imu->header.stamp != goal->header.stamp ||
        imu->header.stamp != moves->header.stamp) {return;}
      out->publish(answer(*imu, *goal, *moves));
      aim->publish(geometry_msgs::build<PoseStamped>().header(goal->header).pose(goal->pose.pose));
    };
  const auto first = node->create_subscription<Imu>(
    "estimate/attitude", 100, [&](Imu::SharedPtr m) {imu = m, act();});
  const auto second = node->create_subscription<Odometry>(
    "reference/odometry", 100, [&](Odometry::SharedPtr m) {goal = m, act();});
  const auto third = node->create_subscription<AccelStamped>(
    "reference/acceleration", 100, [&](AccelStamped::SharedPtr m) {moves = m, act();});
  rclcpp::spin(node);
}
