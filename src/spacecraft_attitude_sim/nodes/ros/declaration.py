# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Declare catalogued parameters on a node, with description, unit and range."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rcl_interfaces.msg import (
    FloatingPointRange,
    IntegerRange,
    ParameterDescriptor,
    SetParametersResult,
)
from rclpy.exceptions import ParameterNotDeclaredException
from rclpy.parameter import Parameter as RosParameter

from spacecraft_attitude_sim.configuration.parameters import ParameterError, unknown

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from typing import Any

    from rclpy.node import Node

    from spacecraft_attitude_sim.configuration.parameter import Parameter


class UndeclaredError(ParameterNotDeclaredException):
    """The parameter is not declared; rclpy returns the text as the reason."""

    def __init__(self, text: str) -> None:
        Exception.__init__(self, text)


# Parameters that rclpy declares itself.
ROS_NAMES = ('use_sim_time', 'start_type_description_service')


def take_overrides(node: Node, configured: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return {name: value} of the parameters that the user gave the node, and undeclare them.

    Make the node with automatically_declare_parameters_from_overrides=True.
    configured: {name: value} of scenario and command line, which apply whatever the node's name
        and namespace; parameters that ROS has for this node override them
    """
    given = dict(configured or {})
    for name, parameter in node.get_parameters_by_prefix('').items():
        if name not in ROS_NAMES and not name.startswith('qos_overrides.'):
            value = parameter.value
            given[name] = list(value) if hasattr(value, 'typecode') else value
            node.undeclare_parameter(name)
    return given


def declare_all(
    node: Node, catalogue: Collection[Parameter], configured: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Declare the parameters of a node with the user's values or defaults; return {name: value}.

    configured: as in take_overrides
    Raises ParameterError for an invalid value, or an unknown name in `configured`.
    """
    names = [parameter.name for parameter in catalogue]
    for name in configured or ():
        if name not in names:
            raise unknown(name, names)
    given = take_overrides(node, configured)
    values = {
        parameter.name: parameter.checked(given.get(parameter.name, parameter.default))
        for parameter in catalogue
    }
    declare_checked(node, catalogue, values)
    return values


def declare_checked(
    node: Node, catalogue: Collection[Parameter], values: Mapping[str, Any]
) -> None:
    """Declare the parameters of a node with checked values, and let it check their changes."""
    declare_each(node, ((parameter, values[parameter.name]) for parameter in catalogue))
    check_changes(node, catalogue)


def declare_each(node: Node, parameters: Iterable[tuple[Parameter, Any]]) -> None:
    """Declare parameters with their checked values."""
    declared = [_declared(parameter, value) for parameter, value in parameters]
    node.declare_parameters('', declared, ignore_override=True)


def _declared(parameter: Parameter, value: Any) -> tuple[str, Any, ParameterDescriptor]:
    """Return name, value and descriptor of a parameter, as rclpy takes them."""
    unit = f' [{parameter.unit}]' if parameter.unit else ''
    descriptor = ParameterDescriptor(
        description=parameter.description + unit, read_only=parameter.read_only
    )
    if parameter.kind is float and parameter.length is None:
        descriptor.floating_point_range = [
            FloatingPointRange(from_value=parameter.low, to_value=parameter.high)
        ]
    if parameter.kind is int:
        descriptor.integer_range = [
            IntegerRange(from_value=parameter.low, to_value=parameter.high, step=1)
        ]
    if value == []:  # rclpy cannot tell the type of an empty list
        value = RosParameter.Type.STRING_ARRAY
    return parameter.name, value, descriptor


def check_changes(node: Node, catalogue: Collection[Parameter]) -> None:
    """Make the node reject unknown names and values out of range; integers count as floats."""
    by_name = {parameter.name: parameter for parameter in catalogue}

    def as_declared(changes: Sequence[RosParameter[Any]]) -> list[RosParameter[Any]]:
        for change in changes:
            if not (change.name in by_name or node.has_parameter(change.name)):
                raise UndeclaredError(str(unknown(change.name, list(by_name))))
        return [
            RosParameter(change.name, value=float(change.value))
            if change.name in by_name
            and by_name[change.name].kind is float
            and change.type_ == RosParameter.Type.INTEGER
            else change
            for change in changes
        ]

    def check(changes: Sequence[RosParameter[Any]]) -> SetParametersResult:
        try:
            for change in changes:
                if change.name in by_name:
                    by_name[change.name].checked(change.value)
        except ParameterError as error:
            return SetParametersResult(successful=False, reason=str(error))
        return SetParametersResult(successful=True)

    node.add_pre_set_parameters_callback(as_declared)
    node.add_on_set_parameters_callback(check)
