// A guidance: a turn of 60 deg about y along a cycloid, the one of docs/beat_it.md.
#include <algorithm>
#include <cmath>
#include <utility>

#include "geometry_msgs/msg/accel_stamped.hpp"
#include "nav_msgs/msg/odometry.hpp"
#include "rclcpp/rclcpp.hpp"
#include "sensor_msgs/msg/imu.hpp"

using geometry_msgs::msg::AccelStamped, nav_msgs::msg::Odometry, sensor_msgs::msg::Imu;

constexpr double PI = 3.141592653589793;
constexpr double ANGLE = PI / 3.0, BEGIN = 20.0, LENGTH = 80.0;  // rad, s, s: 8 swings of a panel

std::pair<Odometry, AccelStamped> answer(const Imu & imu)
{
  const double time = imu.header.stamp.sec + 1e-9 * imu.header.stamp.nanosec;  // s
  const double u = std::clamp((time - BEGIN) / LENGTH, 0.0, 1.0), turn = 2.0 * PI * u;
  const double angle = ANGLE * (u - std::sin(turn) / (2.0 * PI));
  Odometry wanted;
  wanted.header.stamp = imu.header.stamp;  // this stamp is what lockstep waits for
  wanted.header.frame_id = "world";
  wanted.child_frame_id = "reference";
  wanted.pose.pose.orientation.w = std::cos(0.5 * angle);
  wanted.pose.pose.orientation.y = std::sin(0.5 * angle);
  wanted.twist.twist.angular.y = ANGLE / LENGTH * (1.0 - std::cos(turn));
  AccelStamped moves;
  moves.header.stamp = imu.header.stamp;
  moves.header.frame_id = "reference";
  moves.accel.angular.y = 2.0 * PI * ANGLE / (LENGTH * LENGTH) * std::sin(turn);
  return {wanted, moves};
}

int main(int argc, char ** argv)
{
  rclcpp::init(argc, argv);
  const auto node = std::make_shared<rclcpp::Node>("my_guidance");
  const auto odometry = node->create_publisher<Odometry>("my/odometry", 10);
  const auto accelerations = node->create_publisher<AccelStamped>("my/acceleration", 10);
  const auto subscription = node->create_subscription<Imu>(
    "imu/data_raw", 100, [&](const Imu & imu) {
      const auto [wanted, moves] = answer(imu);
      odometry->publish(wanted);
      accelerations->publish(moves);
    });
  rclcpp::spin(node);
}
