# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""All parameters of a node are declared with one event; a wrong one is refused as by rclpy."""

import pytest
from rcl_interfaces.msg import (
    IntegerRange,
    ParameterDescriptor,
    ParameterEvent,
    ParameterType,
)
from rclpy.exceptions import InvalidParameterValueException
from rclpy.node import Node
from rclpy.qos import qos_profile_parameter_events

from spacecraft_attitude_sim.nodes.ros.guard import GuardedNode


def test_the_parameters_of_a_simulator_come_in_one_event(ros):
    events = ros.listen(ParameterEvent, '/parameter_events', qos_profile_parameter_events)
    own = ros.simulator().scenario.parameters

    def told():
        named = [
            {new.name: new.value.type for new in event.new_parameters if new.name in own}
            for event in events
            if event.node == '/simulator'
        ]
        return [one for one in named if one]

    ros.until(told)
    (types,) = told()
    assert types.keys() == own.keys()
    # An empty list has a type, but no value.
    unset = {name for name, kind in types.items() if kind == ParameterType.PARAMETER_NOT_SET}
    assert unset == {name for name, value in own.items() if value == []} != set()


@pytest.mark.parametrize('kind', [Node, GuardedNode])
def test_a_wrong_one_is_refused_as_by_rclpy(ros, kind):
    node = ros.add(kind('declares'))
    small = ParameterDescriptor(integer_range=[IntegerRange(from_value=0, to_value=2, step=1)])
    given = [('first', 1.0, ParameterDescriptor()), ('wrong', 3, small), ('last', 'a')]
    with pytest.raises(InvalidParameterValueException, match='wrong.*value: 3') as refused:
        node.declare_parameters('', given)
    assert 'first' not in str(refused.value)
    assert [node.has_parameter(name) for name, *_ in given] == [True, False, False]
