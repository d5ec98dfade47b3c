# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Pause, step and reset, over the simulator's own services (std_srvs)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from std_srvs.srv import SetBool, Trigger

from spacecraft_attitude_sim.core.simulation.run_state import NotNowError

if TYPE_CHECKING:
    from collections.abc import Callable

    from spacecraft_attitude_sim.nodes.simulator.driver import Driver
    from spacecraft_attitude_sim.nodes.simulator.node import SimulatorNode


class TimeServices:
    """~/pause, ~/step and ~/reset of a simulator node.

    node: offers them;  driver: does what they ask
    """

    def __init__(self, node: SimulatorNode, driver: Driver) -> None:
        self._node, self._driver = node, driver
        node.create_service(SetBool, '~/pause', self._on_pause)
        node.create_service(Trigger, '~/step', self._on_step)
        node.create_service(Trigger, '~/reset', self._on_reset)

    def _on_pause(self, request: Any, response: Any) -> Any:
        if request.data:
            return self._answer(response, self._driver.pause, 'paused')
        return self._answer(response, self._driver.resume, 'running')

    def _on_step(self, request: Any, response: Any) -> Any:
        count = self._node.value('step_ticks')
        return self._answer(response, lambda: self._driver.step(count), 'stepped')

    def _on_reset(self, request: Any, response: Any) -> Any:
        return self._answer(
            response, self._driver.reset, 'reset to the initial state; time goes on'
        )

    def _answer(self, response: Any, action: Callable[[], None], message: str) -> Any:
        try:
            action()
            response.success = True
        except NotNowError as reason:
            response.success, message = False, str(reason)
        run = self._driver.run
        response.message = f'{message} (tick {run.tick}, t = {run.ticks.seconds(run.tick)} s)'
        return response
