# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Craft in air and sunlight fly side by side with the bits that each has alone."""

import numpy as np
import pytest
from test_craft_lanes import LANES, WHEELS, batch_of, craft, lose, same, unit
from test_craft_seen import ERRORS, both, check_same

from spacecraft_attitude_sim.core.batch import craft_lanes
from spacecraft_attitude_sim.core.batch.craft_alone import ADVANCE
from spacecraft_attitude_sim.kernels.kernel import Handle

LOW = {'atmosphere': 'exponential', 'orbit.semi_major_axis': 6.65e6, 'density_factor': 30.0}
DARK = {'irradiance_model': 'uniform', 'irradiance': 0.0}


def surfaces(rng, count):
    """Return parameters of random surfaces."""
    names = [f's{k}' for k in range(count)]
    given = {'surfaces': names} if names else {}
    for name in names:
        given |= {
            f'surface.{name}.{key}': value for key, value in (
                ('area', rng.uniform(0.1, 2.0)), ('normal', unit(rng, 3)),
                ('center', rng.normal(size=3) * 0.1), ('specular', rng.uniform(0.0, 0.5)),
                ('diffuse', rng.uniform(0.0, 0.5)), ('accommodation', rng.uniform(0.5, 1.0)),
                ('leaving_speed', rng.choice((0.0, 600.0))), ('both_sides', bool(rng.integers(2))),
            )
        }  # fmt: skip
    return given


def crafts_of(seed, count, **more):
    """Return Scenarios of random craft with none to four surfaces, some of both sides."""
    rng = np.random.default_rng(seed)
    return [
        craft(rng, 'earth', 3, LOW | surfaces(rng, rng.integers(0, 5)) | more)
        for _ in range(count)
    ]


@pytest.mark.parametrize('substeps', [0, 1, 3])
def test_craft_in_air_and_sunlight_have_the_bits_of_each_alone(substeps):
    crafts = crafts_of(40 + substeps, LANES + 7, substeps=substeps)
    batch = batch_of(crafts, threads=1)
    assert batch._able
    for ticks in (1, 2, 40, 57):
        batch.advance(ticks)
    same(batch, crafts, 100)


def test_craft_in_which_nothing_happens_do_not_fly_alone_but_feel_air_and_sunlight(monkeypatch):
    quiet = {f'wheel.{name}.{key}': value for name in WHEELS for key, value in (
        ('initial_speed', 20.0), ('torque', 1e-6), ('max_speed', 600.0), ('max_power', 1.0),
    )}  # fmt: skip
    crafts = crafts_of(44, LANES, **quiet)
    empty = crafts_of(44, LANES, **quiet, **DARK | {'atmosphere': 'none'})
    monkeypatch.setattr(craft_lanes, 'alone', lambda _: Handle(ADVANCE, lose))
    batch, other = batch_of(crafts), batch_of(empty)
    for one in (batch, other):
        one.advance(20)
        assert not one.lost.any()
    moved = (batch.states != other.states).any(axis=1)
    assert moved.tolist() == [bool(one.plant.spacecraft.plates) for one in crafts]
    assert 0 < moved.sum() < LANES


def test_air_alone_and_sunlight_alone_act_as_on_each_alone():
    for seed, more in ((45, DARK), (46, {'atmosphere': 'none'})):
        crafts = crafts_of(seed, LANES, **more)
        batch = batch_of(crafts)
        batch.advance(40)
        same(batch, crafts, 40)


def test_the_imu_feels_air_and_sunlight_and_merits_are_those_of_the_loop_one_by_one():
    crafts = crafts_of(47, LANES + 5, **ERRORS)
    batch, other = both(crafts, watched=True)
    kept = [one.followed(40) for one in (batch, other)]
    np.testing.assert_array_equal(*kept)
    check_same(batch, other)
    for mine, own in zip(batch.merits, other.merits, strict=True):
        np.testing.assert_array_equal(mine, own)
    force = batch.kept_layout.at('end')
    assert np.any(kept[0][:, :, force : force + 3] != 0.0)
