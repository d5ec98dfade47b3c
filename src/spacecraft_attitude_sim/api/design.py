# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Design a control loop from Python: a linear model of a scenario, and its margins."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spacecraft_attitude_sim.api import scenarios
from spacecraft_attitude_sim.configuration import linear_case
from spacecraft_attitude_sim.configuration.scenario import Scenario
from spacecraft_attitude_sim.core.design.linear_plant import AXES
from spacecraft_attitude_sim.core.design.loop_design import LoopDesign
from spacecraft_attitude_sim.drawing import design_report
from spacecraft_attitude_sim.recording import design_file

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.design.loop_design import Case
    from spacecraft_attitude_sim.core.design.sampled_loop import AxisLoop
    from spacecraft_attitude_sim.core.mathematics.types import VectorLike


def design(
    given: str | Path | Mapping[str, Any] | Scenario,
    parameters: Mapping[str, Any] | None = None,
    time: float | None = None,
    acceleration: VectorLike = (0.0, 0.0, 0.0),
    delay: float | None = None,
    linear_only: bool = False,
) -> Design:
    """Return the linear model of a scenario and its controller; print it to see its margins.

        loop = design('cubesat_pointing', {'attitude_controller.bandwidth': 0.6})
        print(loop.margins[0].phase_deg)
        A, B, C = loop.plant.system.A, loop.plant.system.B, loop.plant.system.C

    given: as of sas.load, of one spacecraft;  parameters: {dotted name: value} to change
    time: at which reference and environment are taken [s]; None for the first at which the
        controller holds an attitude
    acceleration: (3,) of the centre of mass by thrust [m/s^2], body axes; it drives pendulums back
    delay: from a measurement to its command [s], any number; None for that with which the
        controller flies, `controller_delay` in whole intervals of its IMU
    linear_only: whether to leave out what is not linear, named in `left_out`, instead of refusing
        it
    Raises ScenarioError, which names what has no linear model, and the remedy.
    """
    scenario = scenarios.load(given, parameters=parameters)
    name = Path(given).stem if isinstance(given, str | Path) else scenario.description
    name = name or 'the scenario'
    case = linear_case.linear_case(scenario, name, time, acceleration, delay, linear_only)
    return Design(case, name)


class Design(LoopDesign):
    """A linear model of a scenario with its loop; docs/design.md describes it.

    name: of the scenario
    plant: the continuous plant: plant.system is a StateSpace with A, B, C, states, inputs, outputs
    loop: the sampled loop: loop.plant and loop.open are StateSpaces, loop.law the controller
    margins: three Margins, of the loops of the axes x, y and z
    vibrations: vibrations of the plant, and how the loop stabilises each
    poles: of the closed loop [rad/s];  stable: whether it is stable
    left_out: what is not in the linear model, in words
    """

    def __init__(self, case: Case, name: str) -> None:
        super().__init__(case)
        object.__setattr__(self, 'name', name)

    name: str

    def __repr__(self) -> str:
        return f'<Design of {self.name}>'

    def __str__(self) -> str:
        return design_report.text(self, self.name)

    @property
    def left_out(self) -> tuple[str, ...]:
        """What is not in the linear model, in words."""
        return self.case.left_out

    def open_loop(self, axis: str) -> AxisLoop:
        """Return L of an axis, 'x', 'y' or 'z', opened at its torque, the others closed.

        Its `system` is a sampled StateSpace, its `response` L at frequencies [rad/s].
        """
        if axis not in (*AXES,):
            raise ValueError(f'axis is {axis!r}; give one of x, y, z')
        return self.loop.of_axis(AXES.index(axis))

    def to_control(self, axis: str) -> Any:
        """Return L of an axis as a control.StateSpace of the library python-control.

        Raises ImportError, which says what to install, if it is not installed.
        """
        try:
            import control
        except ImportError:
            raise ImportError('to_control needs control: pip install control') from None
        loop = self.open_loop(axis).system
        return control.ss(loop.A, loop.B, loop.C, loop.D, loop.period)

    def save(self, path: str | Path) -> Path:
        """Write the model to a file, .json or .mat (docs/design.md); return its path."""
        return design_file.write(Path(path), self, self.name)
