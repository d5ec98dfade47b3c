# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Lines of the text summary on estimator, guidance and mission of a scenario."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spacecraft_attitude_sim.configuration.parts.named import vector

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

# What is said of a profile, under profile.<name>.
OF_PROFILE = (
    'direction', 'axis', 'second_direction', 'second_axis', 'spin_rate', 'spin_axis',
)  # fmt: skip


def sections(
    estimator: Mapping[str, Any] | None,
    guidance: Mapping[str, Any] | None,
    mission: Mapping[str, Any] | None,
) -> Iterator[tuple[str, Iterator[str]]]:
    """Yield (label, lines) of each that a scenario has; the checked parameters, or None."""
    for label, lines, values in (
        ('estimator', _estimator, estimator),
        ('guidance', _guidance, guidance),
        ('mission', _mission, mission),
    ):
        if values is not None:
            yield label, lines(values)


def _estimator(values: Mapping[str, Any]) -> Iterator[str]:
    single = ('star_tracker', 'horizon_sensor', 'magnetometer')
    several = (*values['sun_sensors'], *values['sun_cells'])
    used = ['gyroscope', *(name for name in single if values[f'{name}.enabled'])]
    used += [f'sun_sensor/{name}' for name in several]
    yield f'attitude_estimator, from {", ".join(used)}'
    if values['estimate_magnetometer_bias']:
        yield 'it also estimates the bias of the magnetometer'
    if values['estimate_gyroscope_axes']:
        yield 'it also estimates scale factors and misalignments of the gyroscope'
    if values['misaligned_sensors']:
        yield f'it also estimates the misalignment of {", ".join(values["misaligned_sensors"])}'


def _guidance(values: Mapping[str, Any]) -> Iterator[str]:
    start = values['start'] or ('fixed' if values['orbit.model'] == 'none' else 'nadir')
    yield f'attitude_guidance, begins with profile {start}'
    yield from (f'  {line}' for line in values['timetable'])
    yield from (f'profile {name}: {_profile(values, name)}' for name in values['profiles'])
    limits = values['slew.rate'], values['slew.acceleration'], values['slew.jerk']
    yield 'slews of at most {:.6g} rad/s, {:.6g} rad/s^2, {:.6g} rad/s^3'.format(*limits)


def _profile(values: Mapping[str, Any], name: str) -> str:
    given = {key: values[f'profile.{name}.{key}'] for key in OF_PROFILE}
    said = 'at rest'
    if given['direction']:
        said = (
            f'{vector(given["axis"])} along {given["direction"]}, '
            f'{vector(given["second_axis"])} near {given["second_direction"]}'
        )
    if given['spin_rate']:
        said += f', spins at {given["spin_rate"]:.6g} rad/s about {vector(given["spin_axis"])}'
    return said


def _mission(values: Mapping[str, Any]) -> Iterator[str]:
    yield f'mission_modes, begins in mode {values["start"] or values["modes"][0]}'
    for name in values['modes']:
        prefix = f'mode.{name}'
        profile = values[f'{prefix}.profile']
        yield (
            f'mode {name}: {values[f"{prefix}.law"]}'
            f'{f", profile {profile}" if profile else ""}'
            f'{"" if values[f"{prefix}.unload"] else ", wheels are not unloaded"}'
        )
        yield from (f'  {line}' for line in values[f'{prefix}.transitions'])
    if values['anywhere']:
        yield 'in every mode'
        yield from (f'  {line}' for line in values['anywhere'])
