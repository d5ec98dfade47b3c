# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""A node that no message can end: it counts and logs the exceptions of its callbacks."""

from __future__ import annotations

import functools
import inspect
import sys
import time
import weakref
from collections import Counter
from typing import TYPE_CHECKING, Any, ClassVar

from rcl_interfaces.msg import SetParametersResult
from rclpy.node import Node

from spacecraft_attitude_sim.safety.quoting import cut

if TYPE_CHECKING:
    from collections.abc import Callable

    from rcl_interfaces.msg import ParameterDescriptor
    from rclpy.parameter import Parameter
    from rclpy.publisher import Publisher
    from rclpy.service import Service
    from rclpy.subscription import Subscription
    from rclpy.timer import Timer
    from rclpy.type_support import Msg, MsgT, Srv, SrvRequestT, SrvResponseT

    from spacecraft_attitude_sim.nodes.ros.handover import Way

PACKAGE = f'{__name__.partition(".")[0]}.'
# How the services of rclpy end that only tell of a node.
TELLING = ('/get_parameters', '/list_parameters', '/describe_parameters', '/get_parameter_types')
# Shortest interval between log lines on one subject [s].
LOG_SECONDS = 1.0


class Throttle:
    """Limits how often a subject is logged.

    rclpy's own throttling searches the stack for its caller, which takes longer than a command.
    """

    def __init__(self, seconds: float = LOG_SECONDS) -> None:
        self._seconds = seconds
        self._last: dict[str, float] = {}

    def __call__(self, subject: str) -> bool:
        """Return whether `subject` may be logged now; if so, its interval begins anew."""
        now = time.monotonic()
        if now - self._last.get(subject, -self._seconds) < self._seconds:
            return False
        self._last[subject] = now
        return True


class Calls:
    """Counts the callbacks of the nodes of this process.

    It is no attribute of their class: whenever one of those changes, Python forgets where the
    attributes of its nodes are, and a tick looks up a hundred of them.

    begun: how many callbacks have begun so far
    asked: how many of them for messages, but those that are handed over and come through the
        middleware, and for requests that may change something
    """

    __slots__ = ('asked', 'begun')

    def __init__(self) -> None:
        self.begun = self.asked = 0


calls = Calls()


def introduce_callers() -> None:
    """Tell `inspect` the files of our modules and of rclpy.

    rclpy asks it for the caller of each log line, and for the first one it looks through the files
    of all modules of the process: 0.1 s, maybe in the middle of a run.
    """
    for name, module in tuple(sys.modules.items()):
        if name.startswith((PACKAGE, 'rclpy.')) and (file := getattr(module, '__file__', None)):
            inspect.modulesbyfile.setdefault(file, name)  # type: ignore[attr-defined]


class GuardedNode(Node):
    """A node whose subscriptions and services survive any message.

    This includes those of rclpy itself: /clock and the parameter services.

    alive: all nodes of this process that are not destroyed
    mishaps: {topic or service: number of messages that raised an error}
    last_mishap: text of the latest error
    ways: {publisher: Way of its messages to the nodes of this process}, where there are some
    """

    alive: ClassVar[weakref.WeakSet[GuardedNode]] = weakref.WeakSet()

    def __init__(self, *arguments: Any, **options: Any) -> None:
        self.mishaps: Counter[str] = Counter()
        self.last_mishap = ''
        self.ways: dict[Publisher[Any], Way] = {}
        self.may_speak = Throttle()
        super().__init__(*arguments, **options)
        introduce_callers()
        self.alive.add(self)

    def destroy_node(self) -> None:
        """Leave the graph."""
        self.alive.discard(self)
        super().destroy_node()

    def _declare_parameter_common(
        self,
        parameter_list: list[Parameter[Any]],
        descriptors: dict[str, ParameterDescriptor] | None = None,
    ) -> list[SetParametersResult]:
        """Declare all parameters that `declare_parameters` was given, with one event.

        That of rclpy declares one after another and publishes an event of each, which takes 10 ms
        more for those of a simulator. An rclpy without this method declares as it always does.
        """
        done = self._set_parameters_atomically_common(
            parameter_list, descriptors, allow_not_set_type=True
        )
        if done.successful:
            return [done] * len(parameter_list)
        return super()._declare_parameter_common(parameter_list, descriptors)  # it says which one

    def create_subscription(
        self,
        msg_type: type[MsgT],
        topic: str,
        callback: Callable[..., object],
        *arguments: Any,
        **options: Any,
    ) -> Subscription[MsgT]:
        """Create a subscription whose callback cannot end the process."""
        guarded = self._guarded_callback(topic, callback)
        return super().create_subscription(msg_type, topic, guarded, *arguments, **options)

    def create_service(
        self,
        srv_type: type[Srv],
        srv_name: str,
        callback: Callable[[SrvRequestT, SrvResponseT], SrvResponseT],
        *arguments: Any,
        **options: Any,
    ) -> Service[SrvRequestT, SrvResponseT]:
        """Create a service that answers with a failure if its callback raises."""
        may_change = not srv_name.endswith(TELLING)

        @functools.wraps(callback)
        def guarded(request: SrvRequestT, response: SrvResponseT) -> SrvResponseT:
            calls.begun += 1
            calls.asked += may_change
            try:
                return callback(request, response)
            except Exception as error:
                self.count_mishap(srv_name, error)
                return _failed(request, response, error)

        return super().create_service(srv_type, srv_name, guarded, *arguments, **options)

    # rclpy also takes None, and a callback that asks for TimerInfo; no node here does.
    def create_timer(  # type: ignore[override]
        self,
        timer_period_sec: float,
        callback: Callable[[], object],
        *arguments: Any,
        **options: Any,
    ) -> Timer:
        """Create a timer whose callback cannot end the process."""

        @functools.wraps(callback)
        def guarded() -> None:
            calls.begun += 1
            try:
                callback()
            except Exception as error:
                self.count_mishap('a timer', error)

        # rclpy needs the signature each time a timer fires; finding it costs far more.
        signed: Any = guarded
        signed.__signature__ = inspect.Signature()
        return super().create_timer(timer_period_sec, signed, *arguments, **options)

    def take_waiting(self) -> None:
        """Handle every message that has arrived and waits.

        Call it when a node moves to another executor: rclpy's EventsExecutor does not report a
        message to the second executor that it has reported to the first.
        """
        for subscription in self.subscriptions:
            self._take_waiting(subscription)

    def _take_waiting(self, subscription: Subscription[Any]) -> None:
        informed = wants_information(subscription.callback)
        handle = subscription.handle
        try:
            with handle:
                while found := handle.take_message(subscription.msg_type, subscription.raw):
                    subscription.callback(*(found if informed else found[:1]))
        except Exception as error:  # rclpy cannot read it; the callback is guarded
            self.count_mishap(subscription.topic_name, error)

    def count_mishap(self, subject: str, error: Exception) -> None:
        """Count a message that raised an error, and log it at most once a second."""
        self.mishaps[subject] += 1
        self.last_mishap = cut(f'{subject}: {type(error).__name__}: {error}')
        if self.may_speak(subject):
            self.get_logger().error(f'could not be used: {self.last_mishap}')

    def _guarded_callback(
        self, topic: str, callback: Callable[..., object]
    ) -> Callable[..., None]:
        informed = wants_information(callback)

        @functools.wraps(callback)
        def guarded(*message: Any) -> None:
            calls.begun += 1
            calls.asked += 1
            try:
                # The EventsExecutor of rclpy 9 passes message and information as one tuple.
                callback(*(message[0] if informed and len(message) == 1 else message))
            except Exception as error:
                self.count_mishap(topic, error)

        return guarded


def wants_information(callback: Callable[..., object]) -> bool:
    """Return whether a callback takes the MessageInfo as well as the message."""
    try:
        inspect.signature(callback).bind(None)
    except TypeError:
        return True
    return False


def _failed(request: Msg, response: SrvResponseT, error: Exception) -> SrvResponseT:
    """Return a response with the reason, in the fields that its type has for that."""
    reason = cut(f'{type(error).__name__}: {error}')
    answer: Any = response  # with the fields of its own type
    if hasattr(answer, 'success') and hasattr(answer, 'message'):
        answer.success, answer.message = False, reason
    if hasattr(answer, 'results') and hasattr(request, 'parameters'):
        result = SetParametersResult(successful=False, reason=reason)
        answer.results = [result] * len(request.parameters)
    if isinstance(getattr(answer, 'result', None), SetParametersResult):
        answer.result = SetParametersResult(successful=False, reason=reason)
    return response
