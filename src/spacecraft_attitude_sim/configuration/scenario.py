# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Scenarios: ROS parameter files that define a simulation; they are checked before it runs."""

from __future__ import annotations

import contextlib
import functools
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from spacecraft_attitude_sim.configuration import (
    actuators,
    attitude_controller,
    contact_parameters,
    earth_parameters,
    internal_parts,
    parameters,
    sensors,
    spacecraft_parameters,
    suggestion,
)
from spacecraft_attitude_sim.configuration import parts as further_parts
from spacecraft_attitude_sim.configuration.actuators import wheels
from spacecraft_attitude_sim.configuration.actuators.named import checked_names
from spacecraft_attitude_sim.configuration.internal_parts import modal_file
from spacecraft_attitude_sim.configuration.parameter import (
    ParameterError,
    asked_for,
    blame,
    unit_quaternion,
)
from spacecraft_attitude_sim.configuration.share import share_directory
from spacecraft_attitude_sim.configuration.yaml_file import (
    dumped,
    is_file,
    mapping_of,
    of_one_type,
    text_of,
)
from spacecraft_attitude_sim.core import simulation
from spacecraft_attitude_sim.core.body import places
from spacecraft_attitude_sim.core.body import rigid_body as bodies
from spacecraft_attitude_sim.core.body.primitives import Primitive
from spacecraft_attitude_sim.core.body.state import State
from spacecraft_attitude_sim.core.environment import orbit_axes
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.mathematics.rotations import IDENTITY
from spacecraft_attitude_sim.core.simulation import limits
from spacecraft_attitude_sim.core.ticks import Ticks
from spacecraft_attitude_sim.safety.quoting import OneLineError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from spacecraft_attitude_sim.configuration.parameter import Parameter
    from spacecraft_attitude_sim.core.contact.model import ContactModel
    from spacecraft_attitude_sim.core.mathematics.types import Array, Quaternion, Vector3
    from spacecraft_attitude_sim.core.sensors import Suite

    # {node: {dotted name: value}}
    Sections = dict[str, dict[str, Any]]

BY_NAME = {parameter.name: parameter for parameter in parameters.SIMULATOR}
# First line of a dumped scenario, a comment in YAML.
REVISION = '# revision'
# How a run is spread over processes does not change its results, so a dump leaves it out.
HOSTING = ('follow_clock', 'followers')
# Nodes that may have a section in a scenario; `/**` is that of the simulator.
NODES = ('simulator', 'contact', attitude_controller.NAME, 'markers', 'recorder')
# Keys that give the mass properties; they conflict with a density and with parts with mass.
EMPTY = "holds no parameters; start it with '/**/simulator:'"
INERTIA_KEYS = ('body.mass', 'body.inertia', 'body.center_of_mass')
DENSITIES = ('body.density', 'body.mesh.density')
# Lengths of the lists body.computed.* of a recorded scenario. They hold quantities of the run
# whose last digits depend on processor and BLAS.
COMPUTED = {
    'mass': 1, 'center_of_mass': 3, 'inertia': 6, 'principal_moments': 3, 'principal_axes': 4,
    'inverse_inertia': 9, 'placement': 19, 'carrier_principal_moments': 3,
    'carrier_principal_axes': 4, 'carrier_inverse_inertia': 9,
}  # fmt: skip
COMPUTED_PREFIX = 'body.computed.'
# Those that exist only for a body on a floor, or only with wheels.
COMPUTED_AT_TIMES = {name for name in COMPUTED if name.startswith(('placement', 'carrier_'))}
SIX = (0, 1, 2, 0, 0, 1), (0, 1, 2, 1, 2, 2)
# Prefixes of the parameters of the RigidBody.
BODY_PREFIXES = ('body.', 'parts.')


NO_FLOOR = 'a scenario without a floor has no contact'


class ScenarioError(OneLineError):
    """A scenario is invalid; the message names file, key, value, unit and remedy."""


@dataclass(frozen=True, repr=False)
class Scenario:
    """A validated scenario, in the types of core.

    description: one line;  plant: the simulated system;  initial: State at the start
    parts: Primitives that compose or only draw the body, in design axes
    application_frames: {name: BodyFrame} in which forces and torques may be commanded
    parameters: {dotted name: value} of every simulator parameter in effect; `build` makes the same
        scenario from them
    contact_parameters: those of the node contact; None without a floor
    controller: those of the attitude_controller; None without its section
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
        return actuators.initial_inputs(self.parameters)

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


def shipped() -> dict[str, Path]:
    """Return {name: path} of the shipped scenarios."""
    return _files('scenarios')


def shipped_formations() -> dict[str, Path]:
    """Return {name: path} of the shipped formations of spacecraft."""
    return _files('formations')


def _files(folder: str) -> dict[str, Path]:
    paths = (share_directory() / 'config' / folder).glob('*.yaml')
    return {path.stem: path for path in sorted(paths)}


def find(name: str) -> Path:
    """Return the path of a scenario, given the name of a shipped one or a file's path.

    Raises ScenarioError with the most similar names, and how to list all.
    """
    known = shipped() | shipped_formations()
    if name in known:
        return known[name]
    path = Path(name)
    if is_file(path):
        return path
    *others, last = [f"'{one}'" for one in suggestion.nearest_few(name, known)] or ['']
    near = ' or '.join(filter(None, [', '.join(others), last]))
    remedy = f'did you mean {near}? Else give' if near else 'give a shipped name or'
    raise ScenarioError(
        f"no scenario '{name}'; {remedy} a YAML file's path; `attitude-sim scenarios` lists all"
    )


def load(path: str | Path) -> Scenario:
    """Return the Scenario of a ROS parameter file.

    Raises ScenarioError.
    """
    sections, source = read(path), Path(path).name
    ask_for_body_and_spin(sections, source)
    return of_sections(sections, source)


def ask_for_body_and_spin(sections: Sections, source: str) -> None:
    """Raise ScenarioError if a file lacks a value that has no sensible default; it names all.

    These are the inertia of the body, its initial angular velocity, its mass if there is a floor,
    and the inertia that its controller uses. Only a node without a file defaults to the T-handle.

    sections: {node: {dotted name: value}};  source: name of the file, for messages
    """
    given = sections['simulator']
    missing = []
    filled = [key for key in DENSITIES if given.get(key)]
    if not filled and not any(_is_mass_of_part(key) for key in given):
        shaped = 'body.inertia' in given  # without a floor the rotation does not depend on mass
        if 'body.mass' not in given and (sections.get('contact') or not shaped):
            missing.append('body.mass [kg]')
        if not shaped:
            missing.append('body.inertia [kg m^2]')
    if 'initial.angular_velocity' not in given:
        missing.append('initial.angular_velocity [rad/s]')
    if 'inertia' not in sections.get(attitude_controller.NAME, {'inertia': ()}):
        missing.append(f'inertia [kg m^2] of the {attitude_controller.NAME}')
    if missing:
        raise ScenarioError(
            f'{source}: does not say {", ".join(missing)}; give them; instead of mass and '
            'inertia you may give a mass to each of body.parts, body.density or body.mesh.density'
        )


def _is_mass_of_part(key: str) -> bool:
    return key.startswith('parts.') and key.endswith('.mass')


def read(path: str | Path) -> Sections:
    """Return {node: {dotted name: value}} of a ROS parameter file, for `of_sections`.

    Raises ScenarioError.
    """
    return _sections(text_of(path, ScenarioError), Path(path).name)


def parse(text: str, source: str) -> Scenario:
    """Return the Scenario in the text of a ROS parameter file.

    source: its name, for messages
    Raises ScenarioError.
    """
    return of_sections(_sections(text, source), source)


def of_sections(sections: Sections, source: str) -> Scenario:
    """Return the Scenario from the sections of a parameter file, {node: {dotted name: value}}.

    source: its name, for messages
    Raises ScenarioError.
    """
    found = build(sections['simulator'], source, sections.get('contact'))
    ruled = _controller(sections.get(attitude_controller.NAME), source)
    with _naming(source):
        _check_driven(found.parameters, ruled)
    return replace(found, controller=ruled)


def read_all(path: str | Path) -> dict[str, Sections]:
    """Return {namespace: {node: {dotted name: value}}} of a ROS parameter file.

    Sections without a namespace are under ''.
    Raises ScenarioError.
    """
    return parse_all(text_of(path, ScenarioError), Path(path).name)


def _sections(text: str, source: str) -> Sections:
    """Return {node: {dotted name: value}} of a ROS parameter file with one spacecraft.

    The last word of a section's name is the node, in any namespace; `/**` is the simulator.
    """
    found = parse_all(text, source)
    if len(found) > 1:
        raise ScenarioError(
            f'{source}: holds {len(found)} spacecraft, {", ".join(found)}, which attitude-sim run '
            'flies together; give each a file here'
        )
    return next(iter(found.values()))


def text_for_ros(path: str | Path) -> str:
    """Return the text of a parameter file that ROS can read; '' if it can read the file.

    ROS rejects a list that mixes integers and floats; we read it as floats.
    Raises ScenarioError.
    """
    tree = mapping_of(text_of(path, ScenarioError), Path(path).name, EMPTY, ScenarioError)
    alike = of_one_type(tree)
    return '' if repr(alike) == repr(tree) else dumped(alike)


def parse_all(text: str, source: str) -> dict[str, Sections]:
    """Return {namespace: sections} in the text of a ROS parameter file, as `read_all`.

    Parameters under /** apply to all namespaces.
    source: its name, for messages
    Raises ScenarioError.
    """
    document = mapping_of(text, source, EMPTY, ScenarioError)
    found: dict[str, Sections] = {}
    names: dict[tuple[str, str], str] = {}
    for node, content in document.items():
        if not isinstance(content, dict) or set(content) != {'ros__parameters'}:
            raise ScenarioError(f"{source}: '{node}' must hold one key, ros__parameters")
        if not isinstance(content['ros__parameters'], (dict, type(None))):
            raise ScenarioError(f"{source}: '{node}': ros__parameters must hold names and values")
        *space, name = str(node).split('/')
        if name not in (*NODES, '**'):
            continue
        namespace = '/'.join(part for part in space if part not in ('', '**'))
        if other := names.get((namespace, name)):
            raise ScenarioError(
                f"{source}: '{other}' and '{node}' are both {name}; give each spacecraft a file"
            )
        names[namespace, name] = node
        values = flattened(content['ros__parameters'] or {}, source)
        sections = found.setdefault(namespace, {})
        sections.setdefault('simulator' if name == '**' else name, {}).update(values)
    common = found.pop('', {})
    every = {
        namespace: {
            node: {**common.get(node, {}), **own.get(node, {})} for node in (*common, *own)
        }
        for namespace, own in found.items()
    } or {'': common}
    for namespace, sections in every.items():
        if not sections.get('simulator'):
            where = f'/{namespace}' if namespace else '/**'
            raise ScenarioError(f"{source}: has no parameters for '{where}/simulator'")
    return every


def _controller(given: Mapping[str, Any] | None, source: str) -> dict[str, Any] | None:
    """Return the attitude_controller's checked parameters; None without its section."""
    with _naming(f'{source}: {attitude_controller.NAME}'):
        return None if given is None else attitude_controller.checked(given)


def _check_driven(values: Mapping[str, Any], ruled: Mapping[str, Any] | None) -> None:
    """Raise ParameterError if the controller drives actuators that the simulator lacks."""
    if ruled and any(ruled['dipole_limit']):
        _check_dipole(values)
    for topic, lists in actuators.COMMANDED.items():
        driven = ruled.get(lists, []) if ruled else []
        for name in driven:
            if name not in values[lists]:
                raise ParameterError(
                    f"{attitude_controller.NAME}: {lists} has '{name}', but the simulator has "
                    f'{values[lists]}: name one of these'
                )
        if driven and values['lockstep'] and topic not in values['lockstep_topics']:
            raise ParameterError(
                f'lockstep_topics is {values["lockstep_topics"]}, but the attitude_controller '
                f'commands {lists} on {topic}: give [{topic}], otherwise a tick waits for ever'
            )


def _check_dipole(values: Mapping[str, Any]) -> None:
    """Raise ParameterError if a controller commands a dipole that the simulator cannot use."""
    name = attitude_controller.NAME
    if not values['magnetorquers']:
        raise ParameterError(
            f'{name}.dipole_limit is given, but there are no magnetorquers: name some, or leave '
            'it out'
        )
    if not values['magnetometer.enabled']:
        raise ParameterError(
            f'{name}.dipole_limit is given, but it needs imu/mag: set magnetometer.enabled to true'
        )
    if not values['lockstep']:
        return
    if 'command/dipole' not in values['lockstep_topics']:
        raise ParameterError(
            f'lockstep_topics is {values["lockstep_topics"]}, but the {name} commands dipoles: '
            'add command/dipole'
        )
    awaited = values['lockstep_interval'] or values['imu.interval']
    if values['magnetometer.interval'] != awaited:
        raise ParameterError(
            f'magnetometer.interval is {values["magnetometer.interval"]} ticks, but in lockstep '
            f'the simulator waits for command/dipole every {awaited}: give both the same number '
            '(lockstep_interval, or imu.interval if that is 0)'
        )


def flattened(tree: Mapping[str, Any], source: str, prefix: str = '') -> dict[str, Any]:
    """Return {dotted name: value} of a nested mapping; ScenarioError for a name given twice."""
    flat: dict[str, Any] = {}
    for key, value in tree.items():
        if isinstance(value, dict):
            below = flattened(value, source, f'{prefix}{key}.')
        else:
            below = {f'{prefix}{key}': of_one_type(value)}
        if twice := flat.keys() & below.keys():
            raise ScenarioError(f'{source}: {min(twice)} is given twice; leave one out')
        flat.update(below)
    return flat


def build(
    given: Mapping[str, Any], source: str, contact: Mapping[str, Any] | None = None
) -> Scenario:
    """Return the Scenario of {dotted name: value}; parameters not given have their defaults.

    given: {name: value} of the simulator;  source: name of the file, for messages
    contact: {name: value} of the node contact; None or {} for a body without a floor
    Raises ScenarioError naming source, key, value, unit and remedy.
    """
    given, computed = _split_computed(_with_models(given), source)
    with _naming(source):
        given, orbit_computed = earth_parameters.split_computed(modal_file.completed(given))
        values = _checked(given)
        parts = _parts(values)
        touching = contact_parameters.checked(contact) if contact else None
        density = values['body.density']
        rigid_body = _whole(values, _body(values, given, parts, touching))
        rigid_body = _as_computed(rigid_body, computed)
        frames = _application_frames(rigid_body, values)
        _check_lockstep(values, frames)
        plant = _plant(
            rigid_body, values, touching, _suite(rigid_body, values),
            carrier_computed=_carrier_computed(computed), orbit_computed=orbit_computed,
        )  # fmt: skip
        if plant.contact and 'placement' in computed:
            placed = replace(plant.contact, placement=computed['placement'])
            plant = plant.with_contact(placed)
        return Scenario(
            values['description'],
            plant,
            _initial(plant, values),
            parts,
            frames,
            values,
            touching,
            density=density,
        )


def changed(
    base: Scenario,
    given: Mapping[str, Any],
    source: str,
    contact: Mapping[str, Any] | None = None,
    controller: Mapping[str, Any] | None = None,
) -> Scenario:
    """Return a Scenario with some parameters changed; only parts that depend on them are rebuilt.

    given, contact, controller: {dotted name: value} to change in simulator, contact and
        attitude_controller;  source: name of the file, for messages
    Raises ScenarioError naming source, key, value, unit and remedy.
    """
    with _naming(source):
        valid = catalogue(base.parameters)
        given = _with_other_models(base.parameters, given, valid)
        for name in given:
            if name not in valid:
                raise _unknown(name, valid)
        new = {name: valid[name].checked(value) for name, value in given.items()}
        values, touching = {**base.parameters, **new}, base.contact_parameters
        rigid_body, parts = base.plant.body, base.parts
        if contact:
            assert touching is not None, NO_FLOOR
            touching = {**contact_parameters.effective(touching), **contact}
            touching = contact_parameters.checked(touching)
        if _any(new, ('parts.',)):
            parts = _parts(values)
        if new.get('body.density') and not base.density:
            raise ParameterError(
                'body.density cannot vary where body.mass and body.inertia say what the body is; '
                'give body.density in the scenario in their place'
            )
        density = values['body.density'] or base.density
        if any(key in new for key in INERTIA_KEYS) and 'body.density' not in new:
            density = 0.0  # the mass is no longer computed from it
        filled = density and ('body.density' in new or _any(contact or (), ('surface.',)))
        if filled:
            _refuse_another_inertia([key for key in INERTIA_KEYS if key in new], 'body.density')
            values |= _of_density(touching, density)
        made_of = BODY_PREFIXES + (internal_parts.PREFIXES if _of_hub(values) else ())
        if filled or _any(new, made_of):
            rigid_body = _whole(values, _body(values, values, parts, touching))
        moved = not np.array_equal(rigid_body.center_of_mass, base.plant.body.center_of_mass)
        made = None if moved else base.plant.contact
        if contact:
            if made and touching and not _any(contact, ('surface.',)):
                made = contact_parameters.with_floor(touching, made.surface)
            else:
                made = None
        ruled = base.controller
        if controller:
            ruled = attitude_controller.checked(controller, ruled)
        sensed = moved or _any(new, sensors.PREFIXES)
        framed = moved or _any(new, ('application',))
        suite = _suite(rigid_body, values) if sensed else base.sensors
        plant = _plant(rigid_body, values, touching, suite, made)
        return replace(
            base,
            plant=plant,
            initial=_initial(plant, values),
            parts=parts,
            application_frames=(
                _application_frames(rigid_body, values) if framed else base.application_frames
            ),
            parameters=values,
            contact_parameters=touching,
            controller=ruled,
            density=density,
        )


def _any(names: Iterable[str], prefixes: tuple[str, ...]) -> bool:
    return any(name.startswith(prefixes) for name in names)


@contextlib.contextmanager
def _naming(source: str) -> Iterator[None]:
    """Turn a ParameterError into a ScenarioError that names the file."""
    try:
        yield
    except ParameterError as error:
        raise ScenarioError(f'{source}: {error}') from None


def _initial(plant: simulation.Plant, values: Mapping[str, Any]) -> State:
    angular_velocity_B = np.array(values['initial.angular_velocity'])
    q_WB = unit_quaternion(values, 'initial.attitude')
    if values['initial.frame'] == 'lvlh':
        q_WB, angular_velocity_B = _from_orbit(plant, q_WB, angular_velocity_B)
    with blame('initial.'):
        limits.check_given_rate(plant, angular_velocity_B)
    return plant.spacecraft.state(
        values['initial.position'],
        q_WB,
        values['initial.velocity'],
        angular_velocity_B,
        np.array(wheels.of(values, 'initial_speed')),
        np.array(wheels.of(values, 'torque')),
        of_center=values['initial.point'] == 'center_of_mass',
    )


def _from_orbit(
    plant: simulation.Plant, q_OB: Quaternion, relative_B: Vector3
) -> tuple[Quaternion, Vector3]:
    """Return q_WB (4,) and omega_B (3,) [rad/s] of a start given in the local orbital frame."""
    place = plant.environment.orbital_state(0.0)
    if place is None:
        raise ParameterError(
            "initial.frame is 'lvlh', and there is no orbit; give orbit.model, or world"
        )
    q_WB = rotations.compose(orbit_axes.attitude(*place), q_OB)
    turning_B = rotations.rotate(rotations.conjugate(q_WB), orbit_axes.rate_W(*place))
    return q_WB, relative_B + turning_B


def _ticks(values: Mapping[str, Any]) -> Ticks:
    with blame('tick_rate '):
        return Ticks.at(values['tick_rate'])


def _suite(rigid_body: bodies.RigidBody, values: Mapping[str, Any]) -> Suite:
    return sensors.suite(
        values,
        _body_frame(rigid_body, values, 'imu'),
        unit_quaternion(values, 'star_tracker.orientation'),
        rigid_body.center_of_mass,
        _ticks(values),
    )


def _application_frames(
    rigid_body: bodies.RigidBody, values: Mapping[str, Any]
) -> dict[str, bodies.BodyFrame]:
    return {
        name: _body_frame(rigid_body, values, f'application.{name}')
        for name in values['application_frames']
    }


def _check_lockstep(values: Mapping[str, Any], frames: Mapping[str, bodies.BodyFrame]) -> None:
    """Raise ParameterError if lockstep waits for an unknown frame or for missing actuators."""
    for topic, lists in actuators.COMMANDED.items():
        if topic in values['lockstep_topics'] and not values[lists]:
            raise ParameterError(
                f"lockstep_topics has {topic}, but there are no '{lists}' that take it: a tick "
                f'would wait for ever; name {lists}, or leave it out'
            )
    known = {values['frames.body']: bodies.AT_CENTRE_OF_MASS, **frames}
    for number, frame in enumerate(values['lockstep_frames']):
        with blame(f'lockstep_frames[{number}]: '):
            places.find(frame, known, values['frames.world'])


def _with_models(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters given, completed from the sensor files that imu.model etc. name.

    A sensor with a name has its own model; in the model's file its parameters have no name, as in
    sun_sensor.noise.
    """
    completed = dict(given)
    for key, model in given.items():
        for name, value in _figures_of(key, model).items():
            completed.setdefault(name, value)
    return completed


def _with_other_models(
    present: Mapping[str, Any], given: Mapping[str, Any], valid: Mapping[str, Parameter]
) -> dict[str, Any]:
    """Return the parameters to change, including those of a newly chosen sensor model.

    A parameter that only the previous model set returns to its default.
    """
    completed = _with_models(given)
    for key in given:
        for name, value in _figures_of(key, present.get(key)).items():
            if name in valid and present[name] == valid[name].checked(value):
                completed.setdefault(name, valid[name].default)
    return completed


def _figures_of(key: str, model: Any) -> dict[str, Any]:
    """Return {parameter: value} of a sensor model; {} if `key` is not a sensor's model."""
    prefix, _, last = key.rpartition('.')
    if last != 'model' or model not in sensors.MODELS.get(kind := prefix.split('.')[0], ()):
        return {}
    path = share_directory() / 'config' / 'sensors' / f'{model}.yaml'
    return {
        prefix + name.removeprefix(kind): value for name, value in read(path)['simulator'].items()
    }


def _plant(
    rigid_body: bodies.RigidBody,
    values: Mapping[str, Any],
    touching: Mapping[str, Any] | None,
    suite: Suite,
    contact: ContactModel | None = None,
    carrier_computed: bodies.Computed | None = None,
    orbit_computed: Mapping[str, Array] | None = None,
) -> simulation.Plant:
    """Return the Plant; contact: its ContactModel, or None to build it from `touching`."""
    if touching and values['equations'] != 'momentum':
        raise ParameterError(
            f"equations is '{values['equations']}'; on a floor only 'momentum' works, because the "
            'constraint is in momentum form'
        )
    if touching and not contact:
        contact = contact_parameters.contact_model(touching, rigid_body)
    parts = actuators.actuators(values, rigid_body.center_of_mass, _ticks(values))
    internal = internal_parts.internal_parts(values, rigid_body, on_floor=bool(touching))
    orbit = spacecraft_parameters.circular_orbit(values)
    around = earth_parameters.surroundings(values, orbit_computed)
    sensors.refuse_without_orbit(suite, orbiting=around is not None)
    with blame():
        return simulation.plant_of(
            rigid_body,
            np.array(values['gravity']),
            values['substeps'],
            values['equations'],
            contact,
            **parts._asdict(),
            internal=internal,
            parts=further_parts.parts(values),
            seed=values['seed'],
            carrier_computed=carrier_computed,
            orbit=orbit,
            surroundings=around,
            gradient=values['gravity_gradient'],
            plates=earth_parameters.plates(values, rigid_body.center_of_mass),
            sensors=suite,
            magnetic_field_W=np.array(values['magnetic_field']),
            ticks=_ticks(values),
        )


def dump(scenario: Scenario, revision: int = 0, namespace: str = '**') -> str:
    """Return the text of a ROS parameter file that reproduces the Scenario bit for bit.

    revision: number of contact changes in the run so far; `revision` reads it from the text
    namespace: of its nodes; ** for any
    """
    values = {
        **scenario.parameters,
        **_computed(scenario),
        **earth_parameters.computed(scenario.parameters, scenario.plant.environment.surroundings),
    }
    for name in HOSTING:
        values.pop(name, None)
    tree = {f'/{namespace}/simulator': {'ros__parameters': _nested(values)}}
    if scenario.contact_parameters:
        values = contact_parameters.effective(scenario.contact_parameters)
        tree[f'/{namespace}/contact'] = {'ros__parameters': _nested(values)}
    if scenario.controller:
        values = scenario.controller
        tree[f'/{namespace}/{attitude_controller.NAME}'] = {'ros__parameters': _nested(values)}
    return f'{REVISION} {revision}\n' + dumped(tree)


def _computed(found: Scenario) -> dict[str, list[float]]:
    """Return body.computed.* of a Scenario; {} if every processor computes the same values."""
    body, contact, carrier = found.plant.body, found.plant.contact, found.plant.spacecraft.carrier
    turned = contact and tuple(contact.surface.q_BS) != IDENTITY
    composed = any(part.mass is not None for part in found.parts)
    if (
        not turned
        and not composed
        and not _moved_key(found.parameters)
        and not _of_hub(found.parameters)
        and not np.count_nonzero(body.inertia - np.diag(body.inertia.diagonal()))
        and not np.count_nonzero(carrier.inertia - np.diag(carrier.inertia.diagonal()))
    ):
        return {}
    computed: dict[str, Iterable[float]] = {
        'mass': [body.mass],
        'center_of_mass': body.center_of_mass,
        'inertia': body.inertia[SIX],
        'principal_moments': body.principal_moments,
        'principal_axes': body.q_BP,
        'inverse_inertia': body.inverse_inertia.ravel(),
    }
    if contact:
        computed['placement'] = contact.placed(body)
    if carrier is not body:
        computed['carrier_principal_moments'] = carrier.principal_moments
        computed['carrier_principal_axes'] = carrier.q_BP
        computed['carrier_inverse_inertia'] = carrier.inverse_inertia.ravel()
    return {COMPUTED_PREFIX + name: list(map(float, value)) for name, value in computed.items()}


def _split_computed(
    given: Mapping[str, Any], source: str
) -> tuple[dict[str, Any], dict[str, Array]]:
    """Split off body.computed.*: return the other parameters and {name: array}."""
    rest = {name: value for name, value in given.items() if not name.startswith(COMPUTED_PREFIX)}
    computed = {}
    with _naming(source):
        for name in given.keys() - rest.keys():
            length = COMPUTED.get(name.removeprefix(COMPUTED_PREFIX))
            if length is None:
                raise parameters.unknown(name, [COMPUTED_PREFIX + known for known in COMPUTED])
            numbers = parameters.Parameter(
                name, [], '', '', length=(length,), low=-1e300, high=1e300
            )
            computed[name.removeprefix(COMPUTED_PREFIX)] = np.array(numbers.checked(given[name]))
        if computed and (lacking := COMPUTED.keys() - computed.keys() - COMPUTED_AT_TIMES):
            raise ParameterError(
                f'{COMPUTED_PREFIX}{min(lacking)} is missing; give all of body.computed, as a '
                'recorded scenario does, or none'
            )
    return rest, computed


def _as_computed(rigid_body: bodies.RigidBody, computed: Mapping[str, Array]) -> bodies.RigidBody:
    """Return the RigidBody with the recorded values of body.computed, if there are any."""
    if not computed:
        return rigid_body
    inertia = bodies.inertia_matrix(computed['inertia'].tolist())
    near = {'rtol': 1e-9, 'atol': 1e-12 * np.max(np.abs(rigid_body.inertia))}
    if not (
        np.allclose(computed['mass'], rigid_body.mass, rtol=1e-9, atol=0.0)
        and np.allclose(inertia, rigid_body.inertia, **near)
        and np.allclose(
            computed['center_of_mass'], rigid_body.center_of_mass, rtol=1e-9, atol=1e-9
        )
    ):
        raise ParameterError(
            f'body.computed is of another body than mass {rigid_body.mass:g} kg and inertia '
            f'{rigid_body.inertia[SIX].tolist()} kg m^2; leave body.computed out'
        )
    found = bodies.Computed(
        computed['principal_moments'],
        computed['principal_axes'],
        computed['inverse_inertia'].reshape(3, 3),
    )
    mass, center = float(computed['mass'][0]), computed['center_of_mass']
    with blame('body.'):
        return bodies.RigidBody(mass, inertia, center, found)


def _carrier_computed(computed: Mapping[str, Array]) -> bodies.Computed | None:
    """Return the recorded Computed of the carrier (the body without wheels), or None."""
    if 'carrier_principal_moments' not in computed:
        return None
    return bodies.Computed(
        computed['carrier_principal_moments'],
        computed['carrier_principal_axes'],
        computed['carrier_inverse_inertia'].reshape(3, 3),
    )


def revision(text: str) -> int:
    """Return the revision in the text of a dumped scenario; 0 if it has none."""
    first = text.partition('\n')[0]
    number = first.removeprefix(REVISION).strip()
    return int(number) if number.isdecimal() and len(number) < 10 else 0


def _nested(values: Mapping[str, Any]) -> dict[str, Any]:
    tree: dict[str, Any] = {}
    for name, value in values.items():
        if value == []:  # ROS cannot read an empty list, nor a branch without leaves
            continue
        *branches, leaf = name.split('.')
        node = tree
        for branch in branches:
            node = node.setdefault(branch, {})
        node[leaf] = value
    return tree


def catalogue(given: Mapping[str, Any]) -> dict[str, Parameter]:
    """Return {name: Parameter} of a simulator, including those of the names in `given`."""
    return dict(_catalogue(*(_listed(lists, given) for lists, _, _ in parameters.NAMED)))


def _listed(lists: str, given: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the names in one list of parameters.NAMED."""
    names = BY_NAME[lists].checked(given.get(lists, []))
    return tuple(checked_names(lists, names) if lists in parameters.NAMED_IN_ROS else names)


@functools.lru_cache(maxsize=8)
def _catalogue(*names: tuple[str, ...]) -> dict[str, Parameter]:
    """Return the catalogue for the names in each list of parameters.NAMED."""
    named = (
        replace(field, name=f'{prefix}.{name}.{field.name}')
        for (_, prefix, fields), listed in zip(parameters.NAMED, names, strict=True)
        for name in listed
        for field in fields
    )
    return {parameter.name: parameter for parameter in (*parameters.SIMULATOR, *named)}


def _checked(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return {name: value} of every parameter, checked and converted to its type, with defaults.

    Raises ParameterError naming every invalid value.
    """
    valid = catalogue(given)
    mistakes = [_unknown(name, valid) for name in given if name not in valid]
    mistakes += asked_for(valid, given)
    values = {}
    for name, parameter in valid.items():
        if name in given or not name.startswith('parts.'):
            try:
                values[name] = parameter.checked(given.get(name, parameter.default))
            except ParameterError as error:
                mistakes.append(error)
    if len(mistakes) > 1:
        listed = '; '.join(f'({n}) {one}' for n, one in enumerate(mistakes, 1))
        raise ParameterError(f'{len(mistakes)} mistakes: {listed}')
    if mistakes:
        raise mistakes[0]
    return values


def _unknown(name: str, valid: Mapping[str, Parameter]) -> ParameterError:
    """Return the ParameterError for a name that is not valid."""
    if name in contact_parameters.BY_NAME:
        return ParameterError(
            f'{name} is a parameter of the node contact: give it in a section /**/contact, or as '
            f'-p contact:{name}:=…'
        )
    return parameters.unknown(name, list(valid))


def _parts(values: Mapping[str, Any]) -> tuple[Primitive, ...]:
    return tuple(_part(values, name) for name in values['body.parts'])


def _body(
    values: dict[str, Any],
    given: Mapping[str, Any],
    parts: Sequence[Primitive],
    touching: Mapping[str, Any] | None,
) -> bodies.RigidBody:
    """Return the RigidBody; write derived mass properties into `values`."""
    with_mass = [name for name in values if _is_mass_of_part(name)]
    fixing = [*(key for key in INERTIA_KEYS if key in given), *_moved_key(values)]
    densities = [key for key in DENSITIES if values[key]]
    if densities:
        _refuse_another_inertia([*fixing, *with_mass, *densities[1:]], densities[0])
    _fill_mesh(values)
    if values['body.density']:
        values |= _of_density(touching, values['body.density'])
    with blame('body.'):
        if not with_mass:
            return _given_body(values)
        if fixing:
            raise ParameterError(
                f'{fixing[0]} and {with_mass[0]} are both given, but a body has one inertia: '
                'give body.mass and body.inertia, or a mass to every part'
            )
        for key in INERTIA_KEYS:
            values.pop(key, None)
        for name, part in zip(values['body.parts'], parts, strict=True):
            if part.mass is None:
                raise ParameterError(f'parts.{name}.mass is missing; other parts have one [kg]')
        return bodies.compose(parts)


def _of_hub(values: Mapping[str, Any]) -> bool:
    """Return whether the mass properties are given for the hub."""
    return bool(values['body.given_for'] == 'hub')


def _whole(values: Mapping[str, Any], given: bodies.RigidBody) -> bodies.RigidBody:
    """Return the RigidBody of the whole spacecraft; given: that of body.*, hub or whole."""
    if not _of_hub(values):
        return given
    with blame('body.given_for hub: '):
        return internal_parts.with_parts(values, given)


def _moved_key(values: Mapping[str, Any]) -> list[str]:
    """Return ['body.inertia_about'] if the inertia is about the design origin, else []."""
    return ['body.inertia_about'] if values['body.inertia_about'] == 'origin' else []


def _given_body(values: Mapping[str, Any]) -> bodies.RigidBody:
    """Return the RigidBody of the given mass, inertia and centre of mass; or ValueError."""
    mass, center_of_mass = values['body.mass'], values['body.center_of_mass']
    inertia = bodies.inertia_matrix(values['body.inertia'])
    if not _moved_key(values):
        return bodies.RigidBody(mass, inertia, center_of_mass)
    bodies.check_principal_moments(bodies.principal_axes(inertia)[0])
    moved = bodies.about_center_of_mass(inertia, mass, center_of_mass)
    try:
        return bodies.RigidBody(mass, moved, center_of_mass)
    except ValueError as error:
        raise ParameterError(
            f'body.inertia is about the origin (body.inertia_about); moved to '
            f'body.center_of_mass {center_of_mass} m with body.mass {mass:g} kg it is '
            f'{moved[SIX].tolist()} kg m^2, whose {error}'
        ) from None


def _refuse_another_inertia(keys: Sequence[str], density: str) -> None:
    """Raise ParameterError if `keys` give an inertia as well as a density."""
    if keys:
        raise ParameterError(
            f'{keys[0]} and {density} are both given, but a body has one inertia: leave one of '
            'them out'
        )


def _fill_mesh(values: dict[str, Any]) -> None:
    """Write the mass properties of a mesh with density into `values`.

    A recording then replays bit for bit, even if the file changes.
    """
    if not values['body.mesh.file'] and not values['body.mesh.density']:
        return
    from spacecraft_attitude_sim.configuration import user_mesh

    if values['body.mesh.file']:
        values['body.mesh.file'] = user_mesh.absolute(values['body.mesh.file'])
    density = values['body.mesh.density']
    if not density:
        return
    path = values['body.mesh.file']
    if not path:
        raise ParameterError('body.mesh.density needs body.mesh.file')
    body = user_mesh.rigid_body(user_mesh.load(path, values['body.mesh.scale']), density, path)
    values['body.mass'], values['body.mesh.density'] = body.mass, 0.0
    values['body.inertia'] = body.inertia[SIX].tolist()
    values['body.center_of_mass'] = body.center_of_mass.tolist()


def _of_density(touching: Mapping[str, Any] | None, density: float) -> dict[str, Any]:
    """Return the mass parameters of a uniform body that fills the contact surface.

    body.density becomes 0, so that a recording replays bit for bit.
    touching: contact parameters;  density: [kg/m^3]
    """
    if touching is None:
        raise ParameterError(
            'body.density fills the surface that touches a floor, and there is no floor; give '
            'body.mass and body.inertia, parts with mass, or body.mesh.density'
        )
    mass, inertia, center = contact_parameters.filled(touching, density)
    found = {
        'body.density': 0.0,
        'body.mass': mass,
        'body.inertia': inertia[SIX].tolist(),
        'body.center_of_mass': center.tolist(),
    }
    try:
        return {name: BY_NAME[name].checked(value) for name, value in found.items()}
    except ParameterError as error:
        raise ParameterError(f'body.density of {density:g} kg/m^3 makes that {error}') from None


def _part(values: Mapping[str, Any], name: str) -> Primitive:
    prefix = f'parts.{name}.'
    fields: dict[str, Any] = {
        key.removeprefix(prefix): tuple(value) if isinstance(value, list) else value
        for key, value in values.items()
        if key.startswith(prefix)
    }
    for needed in ('shape', 'size'):
        if needed not in fields:
            raise ParameterError(f"{prefix}{needed} is missing; part '{name}' needs it")
    with blame(prefix):
        return Primitive(**fields)


def _body_frame(
    rigid_body: bodies.RigidBody, values: Mapping[str, Any], prefix: str
) -> bodies.BodyFrame:
    """Return the BodyFrame of prefix.position (from the design origin) and prefix.orientation."""
    position_B = np.array(values[f'{prefix}.position']) - rigid_body.center_of_mass
    q_BF = unit_quaternion(values, f'{prefix}.orientation')
    return bodies.BodyFrame(position_B, q_BF)
