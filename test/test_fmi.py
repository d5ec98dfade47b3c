# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""FMUs: the plant in another program, and an FMU of another program as controller."""

import re
import sys
from dataclasses import replace
from importlib import import_module

import fmpy
import numpy as np
import pytest
import yaml
from fmpy.fmi1 import FMICallException
from processes import printed, run
from pythonfmu3 import FmuBuilder

import spacecraft_attitude_sim as sas
from spacecraft_attitude_sim.configuration.parameters import ParameterError
from spacecraft_attitude_sim.core.parts.registry import NAMES
from spacecraft_attitude_sim.fmi import FmuController, units, variables, write_fmu
from spacecraft_attitude_sim.fmi.errors import FmuError
from spacecraft_attitude_sim.fmi.plant import DISCARD, ERROR, OK, PlantFmu, Settings
from spacecraft_attitude_sim.fmi.writer import _text

SCENARIO = 'cubesat_3u_leo'
STEP = 0.5
# Names of FMI's convention 'structured', as far as ours go.
NAME = re.compile(r'[A-Za-z_]\w*(\.[A-Za-z_]\w*)*(\[[1-9]\d*\])?')
# A law in an FMU of pythonfmu3, with an array as input and three scalars as output.
LAW = """
import numpy as np
from pythonfmu3 import Dimension, Float64, Fmi3Causality, Fmi3Slave, Fmi3Variability


class Law(Fmi3Slave):
    def __init__(self, **given):
        super().__init__(**given)
        self.time, self.gain, self.omega, self.torque = 0.0, 1.0, np.zeros(3), np.zeros(3)
        self.angle = np.zeros(3)
        fixed, continuous = Fmi3Variability.fixed, Fmi3Variability.continuous
        self.register_variable(
            Float64('time', causality=Fmi3Causality.independent, variability=continuous))
        self.register_variable(
            Float64('gain', causality=Fmi3Causality.parameter, variability=fixed))
        self.register_variable(Float64(
            'omega', causality=Fmi3Causality.input, dimensions=[Dimension(start='3')],
            setter=lambda values: setattr(self, 'omega', np.array(values))))
        for k in range(3):
            self.register_variable(Float64(
                f'torque[{k + 1}]', causality=Fmi3Causality.output,
                getter=lambda k=k: self.torque[k]))

    def do_step(self, point, size):
        self.angle = self.angle + size * self.omega
        self.torque = -self.gain * (self.omega + self.angle)
        return point < 4.0
"""


class Law:
    """The same in Python."""

    def reset(self):
        """Forget the angle."""
        self.angle = np.zeros(3)

    def __call__(self, readings):
        """Return the torque."""
        omega = readings.angular_velocity
        self.angle = self.angle + readings.step * omega
        return -3e-3 * (omega + self.angle)


class Host:
    """An FMU in FMPy, with its variables by name and what it logs."""

    def __init__(self, path, folder):
        self.description = fmpy.read_model_description(str(path))
        self.references = {
            variable.name: variable.valueReference for variable in self.description.modelVariables
        }
        self.log = []
        self.unit = fmpy.instantiate_fmu(
            str(folder), self.description, 'CoSimulation',
            logger=lambda _, status, category, text: self.log.append(text.decode()),
        )  # fmt: skip
        self.begin()

    def begin(self):
        """Go through the initialisation."""
        self.unit.enterInitializationMode()
        self.unit.exitInitializationMode()

    def get(self, name, count):
        """Return the values of name[1] to name[count], or of name."""
        names = [f'{name}[{k + 1}]' for k in range(count)] if count > 1 else [name]
        return self.unit.getFloat64([self.references[variable] for variable in names])

    def set(self, values):
        """Set {name: value}."""
        self.unit.setFloat64([self.references[name] for name in values], list(values.values()))


@pytest.fixture(scope='module')
def path(tmp_path_factory):
    return write_fmu(SCENARIO, tmp_path_factory.mktemp('units') / 'cube.fmu')


@pytest.fixture(scope='module')
def host(path):
    host = Host(path, fmpy.extract(str(path), path.with_suffix('')))
    yield host
    host.unit.freeInstance()


def small(name='cubesat_tumble', commands=(), own=False):
    """Return a PlantFmu, without a file."""
    return PlantFmu(_text(sas.load(name)), Settings(name, commands, own))


def references(unit, *names):
    own = [variable.name for variable in unit.variables]
    return [own.index(name) for name in names]


def values(unit, name, count=3):
    return unit.get(references(unit, *(f'{name}[{k + 1}]' for k in range(count))))


def test_a_unit_in_a_host_has_the_bits_of_a_simulation(host):
    simulation = sas.Simulation(SCENARIO, controller=None)
    for k in range(6):
        torque, dipole = 1e-5 * np.array([k, -2.0, 0.3]), np.array([0.1, -0.02 * k, 0.05])
        host.set(
            dict(zip((f'command.wheel.{axis}.torque' for axis in 'xyz'), torque, strict=True))
        )
        host.set({f'command.dipole[{axis + 1}]': dipole[axis] for axis in range(3)})
        host.unit.doStep(k * STEP, STEP)
        readings = simulation.step(wheel_torque=torque, dipole=dipole)
        truth = readings.truth
        assert host.get('time', 1) == [simulation.time]
        assert host.get('truth.attitude', 4) == truth.attitude.tolist()
        assert host.get('truth.angular_velocity', 3) == truth.angular_velocity.tolist()
        assert host.get('truth.position', 3) == truth.position.tolist()
        assert host.get('truth.velocity', 3) == truth.velocity.tolist()
        assert host.get('truth.angular_momentum', 3) == truth.angular_momentum.tolist()
        assert host.get('imu.angular_velocity_S', 3) == readings.angular_velocity.tolist()
        assert host.get('magnetometer.magnetic_field_S', 3) == readings.magnetic_field.tolist()
        sun = readings['sun_sensor/fine']
        assert host.get('sun_sensor.fine.direction_S', 3) == sun.direction_S.tolist()
        assert host.get('sun_sensor.x_plus.illuminance', 1) == [
            readings['sun_sensor/x_plus'].illuminance
        ]
        for wheel, speed in zip('xyz', readings.wheel_speed.tolist(), strict=True):
            assert host.get(f'wheel.{wheel}.tachometer', 1) == [speed]
        assert host.get('star_tracker.age', 1) == [-1.0]  # it is lost while the craft tumbles
        new = [host.references[f'{name}.new'] for name in ('imu', 'gnss', 'star_tracker')]
        assert host.unit.getBoolean(new) == [
            name in readings.new for name in ('imu', 'gnss', 'star_tracker')
        ]
    assert np.any(readings.wheel_speed)


def test_a_unit_tells_the_last_attitude_of_the_star_tracker_and_its_age():
    unit = small('cubesat_3u_target_pass')
    simulation = sas.Simulation('cubesat_3u_target_pass', controller=None)
    for k in range(3):
        assert unit.step(k * STEP, STEP).status == OK
        stars = simulation.step().star_tracker
        assert values(unit, 'star_tracker.q_WT', 4) == stars.q_WT.tolist()
        assert unit.get(references(unit, 'star_tracker.age')) == [stars.age]


def test_a_unit_begins_again_after_a_reset_and_refuses_without_change(host):
    def flown():
        host.set({'command.torque[3]': 1e-6})
        host.unit.doStep(0.0, STEP)
        return host.get('truth.attitude', 4)

    host.unit.reset()
    host.begin()
    first = flown()
    before = host.get('truth.attitude', 4)
    for value, text in ((np.nan, r'torque\[3\] is nan'), (1e308, 'give at most')):
        host.set({'command.torque[3]': value})
        with pytest.raises(FMICallException, match='discard'):
            host.unit.doStep(STEP, STEP)
        assert re.search(text, host.log[-1])
        assert host.get('truth.attitude', 4) == before
    with pytest.raises(FMICallException, match='error'):
        host.unit.doStep(0.0, STEP)
    assert 'the FMU is at 0.5 s' in host.log[-1]
    host.set({'command.torque[3]': 0.0})
    host.unit.doStep(STEP, STEP)
    assert host.get('truth.attitude', 4) != before
    host.unit.reset()
    host.begin()
    assert flown() == first


def test_a_host_keeps_no_folder_of_a_unit_on_its_path(host):
    assert not [place for place in sys.path if 'resources' in place], host.references


def test_the_description_is_valid_and_says_units(path):
    """The schema of FMI 3.0, and FMPy's rules of start values and of the structure."""
    description = fmpy.read_model_description(
        str(path), validate=True, validate_model_structure=True
    )
    names = {variable.name: variable for variable in description.modelVariables}
    assert [name for name in names if not NAME.fullmatch(name)] == []
    bases = {unit.name: unit.baseUnit for unit in description.unitDefinitions}
    torque = bases[names['command.wheel.x.torque'].unit]
    assert (torque.kg, torque.m, torque.s, torque.A) == (1, 2, -2, 0)
    assert names['magnetometer.magnetic_field_S[1]'].unit == 'T'
    assert names['time'].causality == 'independent'
    assert float(description.defaultExperiment.stepSize) == STEP
    kind = description.coSimulation
    assert kind.canHandleVariableCommunicationStepSize
    assert kind.needsExecutionTool
    assert not kind.canGetAndSetFMUstate


def test_every_quantity_of_parts_and_sensors_has_a_unit_of_fmi():
    descriptions = [import_module(f'spacecraft_attitude_sim.core.parts.{name}') for name in NAMES]
    assert len(descriptions) == len(NAMES)
    for channel in every_channel():
        units.of(channel.unit)
    for unit in [*variables.UNITS.values(), *(mode.unit for _, mode in variables.MODES.values())]:
        units.of(unit)
    with pytest.raises(KeyError, match='furlong'):
        units.of('furlong')


def every_channel():
    """Yield all channels with columns of all kinds of parts."""
    from spacecraft_attitude_sim.core.parts.part import Part

    waiting = [Part]
    while waiting:
        kind = waiting.pop()
        waiting += kind.__subclasses__()
        yield from (channel for channel in getattr(kind, 'CHANNELS', ()) if channel.column)


def test_the_own_controller_flies_a_unit_to_the_bits_of_a_run():
    unit = small(SCENARIO, own=True)
    assert 'input' not in {variable.causality for variable in unit.variables}
    assert unit.step(0.0, 8 * STEP) == (OK, '')
    run = sas.simulate(SCENARIO, 8 * STEP)
    assert values(unit, 'truth.attitude', 4) == run.attitude[-1].tolist()
    with pytest.raises(FmuError, match='no controller of its own'):
        write_fmu('tennis_racket', 'racket.fmu', own_controller=True)


def test_parameters_of_the_host_are_those_of_a_scenario():
    unit = small()
    names = [f'initial.angular_velocity[{k}]' for k in (1, 2, 3)]
    assert unit.get(references(unit, *names)) == [0.12, -0.2, 0.35]
    values(unit, 'truth.attitude', 4)  # an output may be asked before
    unit.set(references(unit, 'seed', *names), [7, 0.01, 0.02, -0.03])
    unit.set(references(unit, 'command.force[2]'), [2e-3])
    assert values(unit, 'truth.angular_velocity') == pytest.approx([0.01, 0.02, -0.03], rel=1e-15)
    assert unit.step(0.0, 0.125).status == OK
    scenario = sas.load('cubesat_tumble', seed=7, angular_velocity=[0.01, 0.02, -0.03])
    simulation = sas.Simulation(scenario, controller=None)
    simulation.step(force=[0.0, 2e-3, 0.0])
    simulation.advance(0.09375)
    truth = simulation.readings.truth
    assert values(unit, 'truth.attitude', 4) == truth.attitude.tolist()
    assert values(unit, 'truth.position') == truth.position.tolist()
    assert values(unit, 'truth.velocity') == truth.velocity.tolist()
    assert truth.position.any()
    unit.set(references(unit, names[0]), [0.0])
    answer = unit.step(0.125, 0.125)
    assert answer.status == DISCARD
    assert 'set after the start' in answer.text


@pytest.mark.parametrize(
    ('name', 'value'),
    [('seed', 7), ('initial.attitude', (0.0, 0.6, 0.0, 0.8)),
     ('initial.angular_velocity', (0.01, 0.02, -0.03))],
)  # fmt: skip
def test_each_parameter_of_the_host_has_the_readings_of_a_scenario_with_it(name, value):
    noisy = sas.load('cubesat_tumble', parameters={'imu.gyroscope.angle_random_walk': [1.0] * 3})
    unit = PlantFmu(_text(noisy), Settings('noisy'))
    own = [one.name for one in unit.variables if one.name.partition('[')[0] == name]
    assert {one.place[0] for one in unit.variables if one.causality == 'parameter'} == {
        'seed', 'initial.attitude', 'initial.angular_velocity'
    }  # fmt: skip
    before = values(unit, 'imu.angular_velocity_S')
    unit.set(references(unit, *own), np.atleast_1d(value).tolist())
    given = sas.load(noisy, parameters={name: np.array(value).tolist()})
    imu = sas.Simulation(given, controller=None).readings['imu']
    assert values(unit, 'imu.angular_velocity_S') == imu.angular_velocity_S.tolist()
    assert values(unit, 'imu.q_WS', 4) == imu.q_WS.tolist()
    assert values(unit, 'imu.angular_velocity_S') != before or name == 'initial.attitude'


def test_parameters_that_fit_no_spacecraft_are_refused():
    unit = small()
    unit.set(references(unit, 'initial.angular_velocity[1]'), [np.nan])
    answer = unit.step(0.0, 0.03125)
    assert answer.status == DISCARD
    assert 'initial.angular_velocity' in answer.text


@pytest.mark.parametrize(
    ('point', 'size', 'status'),
    [
        (0.0, 0.03125, OK), (0.0, 0.03125 * (1.0 + 1e-8), OK), (100.0, 0.0625, OK),
        (0.0, 0.03, DISCARD), (0.0, 0.0, DISCARD), (0.0, -0.03125, DISCARD),
        (0.0, np.nan, DISCARD), (np.inf, 0.03125, DISCARD), (0.0, 1e308, DISCARD),
        (0.0, 5e-324, DISCARD),
    ],
)  # fmt: skip
def test_a_step_is_a_whole_number_of_ticks(point, size, status):
    unit = small()
    answer = unit.step(point, size)
    assert answer.status == status
    assert (status == OK) == (answer.text == '')
    if status == OK:
        end = unit.get([0])[0]
        assert end == pytest.approx(point + size, rel=1e-7)
        assert unit.step(end + 1e-9, 0.03125).status == OK  # a host rounds
        assert unit.step(end + 1.0, 0.03125).status == ERROR
        assert unit.step(end, 0.03125).status == ERROR


def test_what_is_no_variable_or_no_input_is_refused():
    unit = small()
    for wrong in (-1, 999):
        with pytest.raises(FmuError, match=f'no variable {wrong}'):
            unit.get([wrong])
    unit.set(references(unit, 'truth.attitude[1]'), [1.0])
    answer = unit.step(0.0, 0.03125)
    assert answer.status == DISCARD
    assert 'no input' in answer.text
    assert unit.step(0.0, 0.03125).status == OK


def test_actuators_are_commanded_by_the_chosen_quantity(tmp_path):
    rate = [variable.name for variable in small('station_cmg').variables]
    assert 'command.gimbal.forward.rate' in rate
    torque = [variable.name for variable in small('station_cmg', ('gimbal_torque',)).variables]
    assert 'command.gimbal.forward.torque' in torque
    assert 'command.gimbal.forward.rate' not in torque
    with pytest.raises(FmuError, match='valid are gimbal_rate, gimbal_torque'):
        small('station_cmg', ('wheel_speed',))
    with pytest.raises(FmuError, match=r'end it in \.fmu'):
        write_fmu(SCENARIO, tmp_path / 'cube.zip')


def test_a_unit_imports_no_module_that_its_scenario_names(tmp_path, monkeypatch):
    (tmp_path / 'evil_floor.py').write_text('raise SystemExit("imported")\n')
    monkeypatch.syspath_prepend(tmp_path)
    tree = yaml.safe_load(_text(sas.load('wave')))
    floor = tree['/**/contact']['ros__parameters']['floor']
    floor |= {'function': 'evil_floor:floor', 'expression': ''}
    floor.pop('velocity_expression')
    text = yaml.safe_dump(tree)
    with pytest.raises((ParameterError, sas.ScenarioError), match='not trusted'):
        PlantFmu(text, Settings('wave'))
    assert 'evil_floor' not in sys.modules


def test_a_unit_holds_no_path_of_a_mesh():
    scenario = sas.load('tennis_racket')
    drawn = replace(scenario, parameters=scenario.parameters | {'body.mesh.file': '/home/me.stl'})
    assert _text(drawn) == _text(scenario)


def test_settings_that_are_damaged_are_refused_in_a_line():
    settings = Settings('a', ('wheel_speed',), True, '1')
    assert Settings.of_text(settings.text()) == settings
    for text in ('', '[]', '{}', '{"name": 1}', 'null'):
        with pytest.raises(FmuError, match='cannot be read'):
            Settings.of_text(text)


def test_the_command_writes_a_unit_and_says_what_it_lacks(tmp_path, monkeypatch):
    target = tmp_path / 'racket.fmu'
    arguments = ['attitude-sim', 'fmu', 'tennis_racket', '-o', target, '-p', 'seed:=5']
    assert printed(*arguments).split() == [str(target)]
    description = fmpy.read_model_description(str(target))
    assert description.modelName == 'tennis_racket'
    (seed,) = (variable for variable in description.modelVariables if variable.name == 'seed')
    assert seed.start == '5'
    refused = run(*arguments)
    assert refused.returncode == 2
    assert 'exists already' in refused.stderr
    monkeypatch.setitem(sys.modules, 'pythonfmu3', None)
    refused = run(*arguments, '--overwrite')
    assert refused.returncode == 2
    assert "'.[fmi]'" in refused.stderr


@pytest.fixture(scope='module')
def law(tmp_path_factory):
    folder = tmp_path_factory.mktemp('law')
    (folder / 'law.py').write_text(LAW)
    return FmuBuilder.build_FMU(folder / 'law.py', folder)


def test_a_foreign_unit_flies_to_the_bits_of_its_law(law):
    controller = FmuController(
        law, {'omega': 'imu.angular_velocity_S'}, {'torque': 'torque'}, {'gain': 3e-3}
    )
    expected = sas.simulate('cubesat_tumble', 2.0, Law())
    for _ in range(2):  # it is reset at each start
        flown = sas.simulate('cubesat_tumble', 2.0, controller)
        assert np.array_equal(flown.attitude, expected.attitude)
    with pytest.raises(FmuError, match=r'Law\.fmu: it refuses: .*discard'):
        sas.simulate('cubesat_tumble', 5.0, controller)


@pytest.mark.parametrize(
    ('inputs', 'outputs', 'text'),
    [
        ({'omgea': 'imu.angular_velocity_S'}, {}, "did you mean 'omega'"),
        ({'omega': 'imu.angular_velocity'}, {}, "did you mean 'angular_velocity_S'"),
        ({'omega': 'gyro.rate'}, {}, 'valid are imu'),
        ({'omega': 'truth'}, {}, 'give SENSOR.PART'),
        ({'omega': 'imu.q_WS'}, {}, 'takes 3 numbers, and 4 are given'),
        ({}, {'torque': ['torque[1]', 'torque[4]']}, r'no variable .torque\[4\]'),
    ],
)
def test_what_fits_no_unit_is_named(law, inputs, outputs, text):
    with pytest.raises(FmuError, match=text):
        sas.simulate('cubesat_tumble', 0.1, FmuController(law, inputs, outputs))


def test_a_file_that_is_no_unit_is_refused_in_a_line(tmp_path, monkeypatch):
    with pytest.raises(FmuError, match='no such file'):
        FmuController(tmp_path / 'none.fmu', {}, {})
    (tmp_path / 'text.fmu').write_text('no FMU')
    with pytest.raises(FmuError, match='no FMU that can be read'):
        FmuController(tmp_path / 'text.fmu', {}, {})
    monkeypatch.setitem(sys.modules, 'fmpy', None)
    with pytest.raises(ImportError, match=r"'\.\[fmi\]'"):
        FmuController(tmp_path / 'text.fmu', {}, {})
