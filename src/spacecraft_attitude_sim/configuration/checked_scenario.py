# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""A scenario that was read and checked, in the types of core."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from spacecraft_attitude_sim.configuration import contact_parameters, parts
from spacecraft_attitude_sim.configuration.scenario_file import ScenarioError
from spacecraft_attitude_sim.core import simulation
from spacecraft_attitude_sim.core.body import rigid_body as bodies
from spacecraft_attitude_sim.core.body.primitives import Primitive
from spacecraft_attitude_sim.core.body.state import State
from spacecraft_attitude_sim.safety.frozen import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spacecraft_attitude_sim.core.sensors import Suite

NO_FLOOR = 'a scenario without a floor has no contact'


@dataclass(frozen=True)
class Scenario:
    """A validated scenario, in the types of core.

    description: one line;  plant: the simulated system;  initial: State at the start
    parts: Primitives that compose or only draw the body, in design axes
    application_frames: {name: BodyFrame} in which forces and torques may be commanded
    parameters: {dotted name: value} of every simulator parameter in effect; `build` makes the same
        scenario from them
    contact_parameters: those of the node contact; None without a floor
    controller, estimator, guidance, mission: those of attitude_controller, attitude_estimator,
        attitude_guidance and mission_modes; None without their sections
    density: the density that gave mass and inertia [kg/m^3], or 0
    """

    description: str
    plant: simulation.Plant
    initial: State
    parts: tuple[Primitive, ...]
    application_frames: dict[str, bodies.BodyFrame]
    parameters: dict[str, Any]
    contact_parameters: dict[str, Any] | None = None
    controller: dict[str, Any] | None = None
    estimator: dict[str, Any] | None = None
    guidance: dict[str, Any] | None = None
    mission: dict[str, Any] | None = None
    density: float = 0.0

    def __repr__(self) -> str:
        return f'<Scenario: {self.description or "no description"}>'

    def __str__(self) -> str:
        """Return the summary that `attitude-sim check` prints."""
        from spacecraft_attitude_sim.configuration import scenario_report

        return '\n'.join((self.description or 'no description', *scenario_report.report(self)))

    @property
    def sensors(self) -> Suite:
        """The sensors: a core.sensors.Suite."""
        return self.plant.spacecraft.sensors

    @property
    def inputs(self) -> simulation.Inputs:
        """The simulation.Inputs that apply from the start until a command arrives."""
        return parts.initial_inputs(self.parameters)

    @property
    def placed(self) -> bool:
        """Whether the body starts on the floor, whatever its initial height."""
        return bool(self.contact_parameters and self.contact_parameters['place'])

    def first_instant(self, tick: int = 0) -> simulation.Instant:
        """Return the Instant of the initial state.

        Raises ScenarioError if the body is inside the floor.
        """
        try:
            return simulation.put_instant(self.plant, tick, self.initial, place=self.placed)
        except ValueError as error:
            raise ScenarioError(_said_at_start(str(error), self.placed)) from None

    def with_contact(self, given: Mapping[str, Any]) -> Scenario:
        """Return the Scenario with some contact parameters changed; the surface stays.

        given: {name: value} of the node contact
        Raises ParameterError naming key, value and remedy.
        """
        assert self.contact_parameters is not None, NO_FLOOR
        assert self.plant.contact is not None, NO_FLOOR
        values = {**self.contact_parameters, **given}
        contact = contact_parameters.with_floor(values, self.plant.contact.surface)
        plant = self.plant.with_contact(contact)
        return replace(self, plant=plant, contact_parameters=values)

    @property
    def base_frame(self) -> bodies.BodyFrame:
        """The body's own frame, at the centre of mass."""
        return bodies.AT_CENTRE_OF_MASS


def _said_at_start(text: str, placed: bool) -> str:
    """Return the text of an initial contact error, with the scenario keys to change."""
    if not text.startswith('position'):
        return f'at the start, {text}'
    return f'initial.{text}' + ('' if placed else ' (contact parameter `place`)')
