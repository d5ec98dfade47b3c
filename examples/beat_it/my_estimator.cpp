// An estimator: gyroscope, corrected by the star tracker with fixed gains, that of docs/beat_it.md.
#include <cmath>
#include <valarray>

#include "rclcpp/rclcpp.hpp"
#include "sensor_msgs/msg/imu.hpp"
#include "tick_synchroniser.hpp"

using sensor_msgs::msg::Imu;
using Vector = std::valarray<double>;  // x, y, z; a quaternion is w, x, y, z

constexpr double GAIN = 0.05, BIAS_GAIN = 0.002, STEP = 0.25;  // 1, 1/s, s between IMU readings
const Vector CONJUGATE{1, -1, -1, -1}, STARS{0.5, -0.8660254037844386, 0, 0};  // tracker to body
Vector attitude{1, 0, 0, 0}, bias(3);  // what it estimates: body to world; rad/s
bool known = false;  // has the attitude been seen?

Vector product(const Vector & p, const Vector & q)
{
  return {
    p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3],
    p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
    p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1],
    p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0]};
}

Vector turned(const Vector & q, const Vector & angle)  // about axes of the body [rad]
{
  const double half = 0.5 * std::hypot(angle[0], angle[1], angle[2]);
  const double s = half > 0.0 ? 0.5 * std::sin(half) / half : 0.5;
  return product(q, {std::cos(half), s * angle[0], s * angle[1], s * angle[2]});
}

Imu answer(Imu imu, const Imu * stars)  // stars: nullptr where the tracker is silent
{
  auto & v = imu.angular_velocity;
  const Vector rate = Vector{v.x, v.y, v.z} - bias;
  attitude = turned(attitude, STEP * rate);
  if (stars) {
    const auto & q = stars->orientation;
    const Vector seen = product({q.w, q.x, q.y, q.z}, CONJUGATE * STARS);
    attitude = known ? attitude : seen;
    known = true;
    const Vector part = product(CONJUGATE * attitude, seen);
    const Vector off = Vector{part[1], part[2], part[3]} * (part[0] < 0.0 ? -2.0 : 2.0);  // rad
    attitude = turned(attitude, GAIN * off);
    bias -= BIAS_GAIN * off;
  }
  v.set__x(rate[0]).set__y(rate[1]).set__z(rate[2]);
  imu.orientation.set__w(attitude[0]).set__x(attitude[1]).set__y(attitude[2]).set__z(attitude[3]);
  imu.orientation_covariance[0] = known ? 0.0 : -1.0;
  return imu;
}

int main(int argc, char ** argv)
{
  rclcpp::init(argc, argv);
  const auto node = std::make_shared<rclcpp::Node>("my_estimator");
  const auto out = node->create_publisher<Imu>("my/estimate", 10);
  Imu told;
  const TickSynchroniser<Imu> ticks(
    *node, {"imu/data_raw", "star_tracker/attitude"}, [&](const auto & messages, bool again) {
      const Imu * imu = messages[0], * stars = messages[1];
      if (imu && !again) {told = answer(*imu, stars);}
      if (imu) {out->publish(told);}
    });
  rclcpp::spin(node);
}
