# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Pause, step and reset, over the simulator's own services (std_srvs)."""

from std_srvs.srv import SetBool, Trigger

from spacecraft_attitude_sim.core.simulation.run_state import NotNowError


class TimeServices:
    """~/pause, ~/step and ~/reset of a simulator node."""

    def __init__(self, simulator):
        self._simulator = simulator
        simulator.create_service(SetBool, '~/pause', self._on_pause)
        simulator.create_service(Trigger, '~/step', self._on_step)
        simulator.create_service(Trigger, '~/reset', self._on_reset)

    def _on_pause(self, request, response):
        if request.data:
            return self._answer(response, self._simulator.pause, 'paused')
        return self._answer(response, self._simulator.resume, 'running')

    def _on_step(self, request, response):
        count = self._simulator.value('step_ticks')
        return self._answer(response, lambda: self._simulator.step(count), 'stepped')

    def _on_reset(self, request, response):
        return self._answer(
            response, self._simulator.reset, 'reset to the initial state; time goes on'
        )

    def _answer(self, response, action, message):
        try:
            action()
            response.success = True
        except NotNowError as reason:
            response.success, message = False, str(reason)
        run = self._simulator.run
        response.message = f'{message} (tick {run.tick}, t = {run.ticks.seconds(run.tick)} s)'
        return response
