// Delivers all messages of one tick together, as TickSynchroniser does in Python; here of one type.
#pragma once
#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "diagnostic_msgs/msg/diagnostic_array.hpp"
#include "rclcpp/rclcpp.hpp"

template<typename Message>
class TickSynchroniser
{
  using Tick = diagnostic_msgs::msg::DiagnosticArray;  // the topics that published in it

public:
  // messages: in the order of `topics`, nullptr where one is silent; again: the answer is missed
  using OnTick = std::function<void (const std::vector<const Message *> & messages, bool again)>;

  TickSynchroniser(rclcpp::Node & node, const std::vector<std::string> & topics, OnTick on_tick)
  : topics_(topics), on_tick_(on_tick)
  {
    for (const auto & topic : topics) {
      listeners_.push_back(
        node.create_subscription<Message>(
          topic, 100, [this, topic](const Message & message) {
            kept_[topic][rclcpp::Time(message.header.stamp).nanoseconds()] = message;
            deliver();
          }));
    }
    listeners_.push_back(
      node.create_subscription<Tick>(
        "tick", 100, [this](const Tick & tick) {
          if (!tick.status.empty()) {ticks_.push_back(tick);}
          if (ticks_.size() > 64) {ticks_.pop_front();}  // its message will never arrive
          deliver();
        }));
  }

private:
  void deliver()  // every tick whose messages are all there
  {
    for (; !ticks_.empty(); ticks_.pop_front()) {
      const int64_t tick = rclcpp::Time(ticks_.front().header.stamp).nanoseconds();
      std::vector<const Message *> messages(topics_.size());
      for (const auto & spoken : ticks_.front().status[0].values) {
        const auto topic = std::find(topics_.begin(), topics_.end(), spoken.key);
        if (topic == topics_.end()) {continue;}
        auto & kept = kept_[*topic];
        const auto message = kept.find(tick - std::stoll(spoken.value));
        if (message == kept.end()) {return;}  // it is still on its way
        messages[topic - topics_.begin()] = &message->second;
        kept.erase(kept.begin(), message);
      }
      on_tick_(messages, tick == last_);
      last_ = tick;
    }
  }

  std::vector<std::string> topics_;
  OnTick on_tick_;
  std::map<std::string, std::map<int64_t, Message>> kept_;  // by topic and stamp [ns]
  std::deque<Tick> ticks_;  // those that wait for a message
  std::vector<rclcpp::SubscriptionBase::SharedPtr> listeners_;
  int64_t last_ = -1;  // ns
};
