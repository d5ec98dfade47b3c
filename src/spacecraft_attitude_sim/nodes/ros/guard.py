# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""A node that no message from outside can end: what a callback raises is counted and told."""

import functools
import inspect
import time
from collections import Counter
from typing import Any

from rcl_interfaces.msg import SetParametersResult
from rclpy.node import Node

from spacecraft_attitude_sim.safety.quoting import cut

# How often one subject may speak in the log [s].
LOG_SECONDS = 1.0


class Throttle:
    """Says whether a subject may speak again.

    rclpy's own throttling looks for its caller in the stack, which costs more than a command.
    """

    def __init__(self, seconds=LOG_SECONDS):
        self._seconds = seconds
        self._last = {}

    def __call__(self, subject):
        """Return whether `subject` has been quiet for long enough, and take it as speaking now."""
        now = time.monotonic()
        if now - self._last.get(subject, -self._seconds) < self._seconds:
            return False
        self._last[subject] = now
        return True


class GuardedNode(Node):
    """A node whose subscriptions and services survive whatever they are sent.

    rclpy's own are among them: /clock and the parameter services.

    mishaps: {topic or service: how many messages could not be dealt with}
    last_mishap: the latest of them, in words
    """

    def __init__(self, *arguments, **options):
        self.mishaps: Counter[str] = Counter()
        self.last_mishap = ''
        self.may_speak = Throttle()
        super().__init__(*arguments, **options)

    def create_subscription(self, msg_type, topic, callback, *arguments, **options):
        """Create a subscription whose callback cannot end the process."""
        guarded = self._guarded_callback(topic, callback)
        return super().create_subscription(msg_type, topic, guarded, *arguments, **options)

    def create_service(self, srv_type, srv_name, callback, *arguments, **options):
        """Create a service that answers with a failure where its callback raises."""

        @functools.wraps(callback)
        def guarded(request, response):
            try:
                return callback(request, response)
            except Exception as error:
                self.count_mishap(srv_name, error)
                return _failed(request, response, error)

        return super().create_service(srv_type, srv_name, guarded, *arguments, **options)

    def create_timer(self, timer_period_sec, callback, *arguments, **options):
        """Create a timer whose callback cannot end the process."""

        @functools.wraps(callback)
        def guarded():
            try:
                callback()
            except Exception as error:
                self.count_mishap('a timer', error)

        # rclpy asks for the signature each time a timer fires: far dearer to find than to give.
        signed: Any = guarded
        signed.__signature__ = inspect.Signature()
        return super().create_timer(timer_period_sec, signed, *arguments, **options)

    def take_waiting(self):
        """Deal with every message that has arrived and waits.

        A node that moves to another executor needs it: rclpy's EventsExecutor tells the second
        of no message that the first has been told of.
        """
        for subscription in self.subscriptions:
            self._take_waiting(subscription)

    def _take_waiting(self, subscription):
        informed = _wants_information(subscription.callback)
        handle = subscription.handle
        try:
            with handle:
                while found := handle.take_message(subscription.msg_type, subscription.raw):
                    subscription.callback(*(found if informed else found[:1]))
        except Exception as error:  # of rclpy, which cannot read it; the callback is guarded
            self.count_mishap(subscription.topic_name, error)

    def count_mishap(self, subject, error):
        """Count a message that could not be dealt with, and say so at most once a second."""
        self.mishaps[subject] += 1
        self.last_mishap = cut(f'{subject}: {type(error).__name__}: {error}')
        if self.may_speak(subject):
            self.get_logger().error(f'could not be used: {self.last_mishap}')

    def _guarded_callback(self, topic, callback):
        informed = _wants_information(callback)

        @functools.wraps(callback)
        def guarded(*message):
            try:
                # EventsExecutor of rclpy 9 gives message and information as one tuple.
                callback(*(message[0] if informed and len(message) == 1 else message))
            except Exception as error:
                self.count_mishap(topic, error)

        return guarded


def _wants_information(callback):
    """Return whether a callback takes the MessageInfo beside the message."""
    try:
        inspect.signature(callback).bind(None)
    except TypeError:
        return True
    return False


def _failed(request, response, error):
    """Return a response that says why, in whatever fields its type has for that."""
    reason = cut(f'{type(error).__name__}: {error}')
    if hasattr(response, 'success') and hasattr(response, 'message'):
        response.success, response.message = False, reason
    if hasattr(response, 'results') and hasattr(request, 'parameters'):
        result = SetParametersResult(successful=False, reason=reason)
        response.results = [result] * len(request.parameters)
    if isinstance(getattr(response, 'result', None), SetParametersResult):
        response.result = SetParametersResult(successful=False, reason=reason)
    return response
