# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""What a bag says of two ticks, computed in a process of its own, whose BLAS has another kernel.

    python blas_kernels.py record < {name: (parameters, those of the floor)}, answers them, too
    python blas_kernels.py answer < {name: (text of topic scenario, RecordedInputs of both ticks)}

Both take and give what is pickled. Kernels of ours run in Python, to the same bits: nothing is
compiled.
"""

import hashlib
import os
import pickle
import subprocess
import sys

import interpreted
import numpy as np
from rclpy.serialization import deserialize_message

from spacecraft_attitude_sim.configuration import formation, scenario, scenario_file
from spacecraft_attitude_sim.core import simulation
from spacecraft_attitude_sim.nodes.messages import tick_messages
from spacecraft_attitude_sim.nodes.messages.tick_messages import Settings, TickMessages
from spacecraft_attitude_sim.recording import inputs_layout
from spacecraft_attitude_sim.recording.topics import known_as

TYPES = tick_messages.TYPES | tick_messages.CONTACT_TYPES
# What a processor must have for a kernel of OpenBLAS, as Linux calls it.
NEEDS = {'Nehalem': 'sse4_2', 'Haswell': 'avx2', 'SkylakeX': 'avx512bw'}


def possible():
    """Return the kernels that this processor can run."""
    with open('/proc/cpuinfo', encoding='utf-8') as lines:
        flags = next((set(line.split()) for line in lines if line.startswith('flags')), set())
    return [kernel for kernel, flag in NEEDS.items() if flag in flags]


def started(what, given, kernel, threads=1):
    """Return a process that computes a function of here; kernel, threads: of OpenBLAS."""
    process = subprocess.Popen(
        [sys.executable, __file__, what],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, 'OPENBLAS_CORETYPE': kernel, 'OPENBLAS_NUM_THREADS': str(threads)},
    )
    process.stdin.write(pickle.dumps(given))
    process.stdin.close()
    return process


def result_of(process):
    """Return what the function gives in a process that was started."""
    result = process.stdout.read()
    assert process.wait() == 0
    return pickle.loads(result)


def record(given):
    """Return what bags hold of all shipped scenarios, and of others, and the answer to them."""
    found = {name: shipped(name) for name in shipped_names()}
    others = {name: scenario.build(own, name, floor) for name, (own, floor) in given.items()}
    bags = {name: recorded(one) for name, one in (found | others).items()}
    return bags, answer(bags)


def shipped_names():
    """Return the names of shipped scenarios, and formation/namespace of each in a formation."""
    members = [
        f'{name}/{member.namespace.strip("/")}'
        for name in scenario.shipped_formations()
        for member in formation.members([scenario_file.find(name)])
    ]
    return [*scenario.shipped(), *members]


def shipped(name):
    """Return a shipped Scenario of two seconds: in Python, tables of orbits take long."""
    file, _, namespace = name.partition('/')
    if namespace:
        members = formation.members([scenario_file.find(file)])
        (sections,) = (m.sections for m in members if m.namespace.strip('/') == namespace)
    else:
        sections = scenario.read(scenario.find(name))
    own = sections['simulator']
    own['duration'] = min(2.0, own.get('duration', 2.0))
    return scenario.of_sections(sections, name)


def recorded(found):
    """Return the text of topic scenario, and RecordedInputs of a first tick and of another."""
    first = found.first_instant()
    settings, craft = Settings(found.plant.substeps), found.plant.spacecraft
    given = tick_messages.recorded_inputs(first, settings, True, craft)
    inputs = commands(craft)
    after = tick_messages.recorded_inputs(first._replace(inputs=inputs), settings, False, craft)
    return scenario.dump(found), (given, after)


def commands(craft):
    """Return Inputs that strike a spacecraft and drive all that it has."""
    size = craft.body.least_moment
    parts = inputs_layout.completed(simulation.Inputs(), craft)._asdict()
    wrench = size * np.linspace(0.1, 0.3, 12)
    driven = {
        name: np.linspace(1e-4, 3e-4, len(parts[name]))
        for name in ('wheel_torque', 'gimbal_rate', 'thrust', 'dipole')
    }
    return simulation.Inputs(**(parts | driven | {'wrench': wrench, 'impulse': wrench[3:9] / 7.0}))


def answer(given):
    """Return {name: {what: digest}}: constants of the step, and messages of both ticks."""
    return {name: _digests(*one) for name, one in given.items()} | {'': {'@': _canary()}}


def _canary():
    """Return bits of @ itself, which differ from kernel to kernel."""
    numbers = np.modf(0.618 * np.arange(1.0, 36.0 * 20.0 + 1.0))[0].reshape(-1, 6, 6)
    return _digest(*(one @ other for one, other in zip(numbers, numbers[1:], strict=False)))


def _digests(text, inputs):
    found = scenario.parse(text, 'topic scenario')
    plant, makes = found.plant, TickMessages(found)
    first = simulation.given_instant(plant, inputs[0].instant(), None)
    after = simulation.next_instant(plant, first, inputs[1].commanded())
    said = {'gradient': _digest(plant.gradient)}
    if plant.spacecraft.coupled:
        said['parts'] = _digest(plant.solver.parts)
    if plant.contact:
        said['contact'] = _digest(plant.contact.flat(plant.body).constants)
    for instant, given in ((first, True), (after, False)):
        for topic, data in makes.of(instant, Settings(plant.substeps), given):
            kind = TYPES[known_as(topic)]
            said[f'{topic} at tick {instant.tick}'] = str(deserialize_message(data, kind))
    return said


def _digest(*arrays):
    return hashlib.sha256(b''.join(array.tobytes() for array in arrays)).hexdigest()


if __name__ == '__main__':
    interpreted.pytest_configure()
    what = {'record': record, 'answer': answer}[sys.argv[1]]
    sys.stdout.buffer.write(pickle.dumps(what(pickle.load(sys.stdin.buffer))))
