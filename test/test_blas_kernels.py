# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""A run repeats to the bit under any BLAS: what it computes with is added in one order.

One process for each kernel computes two ticks of every shipped scenario, and of some whose axes
are at odd angles, from what their bags hold.
"""

import ast
from pathlib import Path

import blas_kernels
import numpy as np
import pytest
from test_internal_parameters import ONE_OF_EACH

import spacecraft_attitude_sim
from spacecraft_attitude_sim.core.mathematics import fixed_order

SOURCE = Path(spacecraft_attitude_sim.__file__).parent
ODD, OTHER = [2 / 7, 3 / 7, 6 / 7], [3 / 7, -6 / 7, 2 / 7]
TURNED = [0.1, 0.7, -0.5, 0.5]
PRODUCTS = [61.3, 52.7, 43.1, 1.7, -2.3, 0.9]
WHEELS = {
    'wheels': ['one', 'two'],
    'wheel.one.axis': ODD, 'wheel.one.inertia': 0.37, 'wheel.one.initial_speed': 11.0,
    'wheel.one.max_torque': 1e6, 'wheel.two.max_torque': 1e6,
    'wheel.two.axis': OTHER, 'wheel.two.inertia': 0.23, 'wheel.two.initial_speed': -7.0,
}  # fmt: skip
ORBIT = {
    'orbit.radius': 7.1e6,
    'orbit.normal': [0.3, -0.7, 0.9],
    'orbit.start': [0.7, 0.1, -0.3],
}
# {what is odd: parameters, and those of the floor}
AWKWARD = {
    'everything inside': (
        ONE_OF_EACH | WHEELS | {
            'body.inertia': PRODUCTS, 'panel.left.axis': ODD,
            'panel.left.inertia': [0.25, 0.17, 0.3, 0.01, -0.02, 0.01],
            'sliding_mass.ball.axis': OTHER, 'pendulum.tank.direction': ODD,
            'wheel.one.friction.viscous': 1e-3,
            'gimbals': ['turning'], 'gimbal.turning.axis': ODD, 'gimbal.turning.spin_axis': OTHER,
            'gimbal.turning.rotor_inertia': 0.31, 'gimbal.turning.rotor_speed': 13.0,
            'gimbal.turning.inertias': [0.1, 0.2, 0.3],
            'thrusters': ['side'], 'thruster.side.position': [0.1, 0.2, 0.3],
            'thruster.side.direction': ODD, 'thruster.side.max_force': 0.3,
            'magnetorquers': ['long', 'short'], 'magnetorquer.long.axis': ODD,
            'magnetorquer.long.max_dipole': 1.1, 'magnetorquer.short.axis': OTHER,
            'magnetorquer.short.max_dipole': 0.7,
        },
        None,
    ),
    'gyrostat in an orbit': (
        {'body.mass': 90.0, 'body.inertia': PRODUCTS, 'initial.angular_velocity': [0.1, 0.2, 0.3]}
        | WHEELS | ORBIT,
        None,
    ),
    'conductive shell among given surroundings, from the axes of its orbit': (
        {
            'body.mass': 90.0, 'body.inertia': PRODUCTS, 'duration': 2.0, 'orbit.model': 'state',
            'orbit.position': [6.1e6, -1.3e6, 2.7e6], 'orbit.velocity': [900.0, 7100.0, 3300.0],
            'initial.frame': 'lvlh', 'initial.attitude': TURNED,
            'initial.angular_velocity': [0.1, 0.2, 0.3],
            'eddy_currents.magnetic_tensor': [900.0, 700.0, 800.0, 13.0, -17.0, 11.0],
            'residual_dipole': [0.3, -0.7, 0.9], 'magnetic_model': 'dipole',
            'earth_dipole.tilt': 0.17, 'earth_dipole.longitude': -1.3,
            'atmosphere': 'uniform', 'air_density': 3e-12, 'wind_model': 'uniform',
            'wind': [31.0, -17.0, 7.0], 'sun_model': 'uniform', 'sun_direction': [0.3, -0.7, 0.9],
            'irradiance_model': 'uniform', 'surfaces': ['side'], 'surface.side.area': 0.7,
            'surface.side.normal': ODD, 'surface.side.center': [0.1, 0.7, -0.3],
        },
        None,
    ),
    'turned surface on a turned floor': (
        {
            'body.mass': 1.3, 'body.inertia': [0.0125, 0.0225, 0.026, 0.001, -0.002, 0.0015],
            'gravity': [0.0, 0.0, -9.81], 'initial.angular_velocity': [0.3, 0.5, 1.0],
        },
        {
            'place': True, 'surface.shape': 'ellipsoid', 'surface.semi_axes': [0.3, 0.2, 0.17],
            'surface.orientation': TURNED, 'surface.center': [0.01, -0.02, 0.015],
            'floor.normal': [0.1, 0.2, 0.9], 'floor.conveyor': [0.9, 0.0, -0.1],
        },
    ),
}  # fmt: skip
# Rooms whose results enter a step, or a message that a bag is compared with.
ROOMS = (
    'configuration', 'core/actuators', 'core/body', 'core/contact', 'core/environment',
    'core/equations', 'core/faults', 'core/mathematics', 'core/parts', 'core/sensors',
    'core/simulation', 'core/spacecraft', 'nodes/messages',
)  # fmt: skip
RECORDED = 'a bag holds what comes of it, as body.computed'
START = 'a bag holds the state at the start'
PRINTED, CHECKED = 'for a reader of a report', 'decides whether a scenario is taken, no number'
# {function: why BLAS may be called in it}
ALLOWED = {
    'core/body/rigid_body.py:__post_init__': RECORDED,
    'core/body/rigid_body.py:principal_axes': RECORDED,
    'core/contact/model.py:placed': RECORDED,
    'core/body/rigid_body.py:state': START,
    'core/parts/control_moment_gyros/description.py:rotor_states': START,
    'core/parts/control_moment_gyros/description.py:gimbal_states': START,
    'core/parts/magnetorquers/description.py:__post_init__': 'a controller shares by it: commands',
    'core/parts/reaction_wheels/description.py:inertia_B': 'einsum of three calls no BLAS',
    'core/contact/uniform.py:integrated': 'a bag holds body.inertia that comes of it',
    'core/contact/sheet.py:grid': 'for a picture of the floor',
    'core/contact/convexity.py:_check_derivatives': CHECKED,
    'core/contact/convexity.py:_curvatures': CHECKED,
    'core/contact/floor_check.py:': CHECKED,
    'core/parts/coordinates/hinged_panels.py:__post_init__': CHECKED,
    'core/parts/coordinates/hinged_panels.py:moved_B': 'a picture of the energy of rotation',
    'configuration/internal_parts.py:': CHECKED,
    'configuration/body_parameters.py:inertia_of': CHECKED,
    'configuration/attitude_guidance.py:_wheels': CHECKED,
    'configuration/linear_case.py:': 'a linear model, of which no flight knows',
    'core/mathematics/attitude_forms.py:': PRINTED,
    'configuration/loads/bearing.py:lines': PRINTED,
    'configuration/orbit_report.py:': PRINTED,
    'configuration/scenario_report.py:': PRINTED,
}
# Of NumPy; norm along an axis calls none, nor do cross and outer.
CALLS = {
    'dot', 'vdot', 'inner', 'matmul', 'tensordot', 'einsum', 'convolve', 'correlate', 'polyfit',
}  # fmt: skip


@pytest.fixture(scope='module')
def answers():
    """{kernel: answer of blas_kernels}, of two kernels or more; the first recorded, too.

    The first has one thread, the others two.
    """
    kernels = blas_kernels.possible()
    if len(kernels) < 2:
        pytest.skip(f'this processor runs {kernels} of {list(blas_kernels.NEEDS)}')
    first, *others = kernels
    given, own = blas_kernels.result_of(blas_kernels.started('record', AWKWARD, first))
    processes = {one: blas_kernels.started('answer', given, one, threads=2) for one in others}
    results = {kernel: blas_kernels.result_of(process) for kernel, process in processes.items()}
    return {first: own, **results}


def test_kernels_differ_in_what_they_are_asked_for(answers):
    """Else nothing below could fail."""
    assert len({answer['']['@'] for answer in answers.values()}) > 1


@pytest.mark.parametrize('name', [*blas_kernels.shipped_names(), *AWKWARD])
def test_what_a_bag_says_is_computed_again_under_every_kernel(answers, name):
    several = [answer[name] for answer in answers.values()]
    assert len(several[0]) > 10
    for other in several[1:]:
        assert [what for what, said in several[0].items() if other[what] != said] == []


def test_blas_is_called_only_where_it_cannot_move_a_run():
    called = {
        f'{path.relative_to(SOURCE)}:{where}'
        for room in ROOMS
        for path in sorted((SOURCE / room).rglob('*.py'))
        for where in calling(ast.parse(path.read_text()))
    }
    allowed = {name for name in called if {name, name[: name.index(':') + 1]} & ALLOWED.keys()}
    assert sorted(called - allowed) == [], 'use core.mathematics.fixed_order'
    used = {name for name in ALLOWED if any(one.startswith(name) for one in allowed)}
    assert sorted(ALLOWED.keys() - used) == []


def calling(tree):
    """Yield the functions in which BLAS or LAPACK is called."""
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef) and any(map(_calls, ast.walk(function))):
            yield function.name


def _calls(node):
    if isinstance(node, ast.BinOp | ast.AugAssign):
        return isinstance(node.op, ast.MatMult)
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
        return False
    words = ast.unparse(node.func).split('.')
    if 'linalg' in words:
        return words[-1] != 'norm' or 'axis' not in {word.arg for word in node.keywords}
    return words[-1] in CALLS and words[0] != 'vec'


# --- fixed_order ---------------------------------------------------------------------------------


def test_cross_has_the_bits_of_numpy():
    pairs = np.random.default_rng(3).normal(size=(100, 2, 3))
    for a, b in pairs * 10.0 ** np.arange(-50, 50)[:, np.newaxis, np.newaxis]:
        assert fixed_order.cross(a, b).tobytes() == np.cross(a, b).tobytes()
        assert fixed_order.cross(tuple(a), b.tolist()).tobytes() == np.cross(a, b).tobytes()


def test_products_add_in_order():
    """In doubles 1e16 + 1 - 1e16 is 0, and 1 - 1e16 + 1e16, in another order, is not."""
    assert fixed_order.product([1e16, 1.0, -1e16], [1.0, 1.0, 1.0]) == 0.0
    assert fixed_order.product([1e16, -1e16, 1.0], [1.0, 1.0, 1.0]) == 1.0


def test_a_row_times_a_matrix_adds_row_by_row():
    """Also where it is so small that Python multiplies it: 9 columns are for NumPy."""
    generator = np.random.default_rng(5)
    for rows, columns in ((1, 1), (3, 3), (4, 3), (9, 2), (2, 9)):
        a = 10.0 ** generator.uniform(-9.0, 9.0, rows) * generator.choice((-1.0, 1.0), rows)
        b = generator.normal(size=(rows, columns))
        total = np.zeros(columns)
        for number, row in zip(a, b, strict=True):
            total = total + number * row
        assert fixed_order.product(a, b).tobytes() == total.tobytes()
    assert str(fixed_order.product([-0.0], [[1.0, 2.0]])) == '[0. 0.]'


def test_small_matrices_are_those_of_lapack():
    generator = np.random.default_rng(4)
    for size in (1, 3, 6, 12):
        some = generator.normal(size=(size, size))
        matrix, right = some @ some.T + np.eye(size), generator.normal(size=(size, 2))
        # Round-off of sums of twelve products, times condition numbers below 100.
        near = {'rtol': 1e-12, 'atol': 1e-12}
        np.testing.assert_allclose(fixed_order.product(some, right), some @ right, **near)
        np.testing.assert_allclose(
            fixed_order.solved(matrix, right), np.linalg.solve(matrix, right), **near
        )
        np.testing.assert_allclose(
            fixed_order.eigenvalues(matrix), np.linalg.eigvalsh(matrix), **near
        )
        np.testing.assert_allclose(
            fixed_order.cholesky(matrix), np.linalg.cholesky(matrix), **near
        )
    with pytest.raises(ValueError, match='positive definite'):
        fixed_order.cholesky(np.array([[1.0, 2.0], [2.0, 1.0]]))


@pytest.mark.parametrize('matrix', [[[1.0, 1.0], [1.0, 1.0]], [[1.0, 2.0], [2.0, 1.0]], [[0.0]]])
def test_a_matrix_that_is_not_positive_definite_has_no_root(matrix):
    with pytest.raises(ValueError, match='not positive definite'):
        fixed_order.cholesky(np.array(matrix))
