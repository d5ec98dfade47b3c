# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The markers are where the topics say, on a floor too, and RViz has nothing to complain of."""

from dataclasses import replace

import numpy as np
import pytest
from geometry_msgs.msg import (
    Point,
    PointStamped,
    Vector3,
    Vector3Stamped,
    Wrench,
    WrenchStamped,
)
from nav_msgs.msg import Odometry
from rclpy.parameter import Parameter
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray, Header, String
from std_srvs.srv import Trigger
from test_contact_node import BALL, change
from visualization_msgs.msg import Marker, MarkerArray

from spacecraft_attitude_sim.configuration import scenario
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.drawing import body_looks
from spacecraft_attitude_sim.nodes.markers.motion_markers import NAME_HEIGHT
from spacecraft_attitude_sim.nodes.markers.node import MOST_WAITING, MarkersNode
from spacecraft_attitude_sim.nodes.ros import conversions, qos
from spacecraft_attitude_sim.nodes.simulator import contact
from spacecraft_attitude_sim.recording import topics

CONTACT = {'contact_point', 'contact_normal', 'contact_force'}
LINES = (Marker.LINE_STRIP, Marker.LINE_LIST)
TURNED = rotations.quaternion_from_axis_angle((0.0, 0.0, 1.0), 0.5)


def warnings_of_rviz(marker):
    """Return what RViz would say of a marker: the checks of its markers/*.cpp."""
    if marker.action != Marker.ADD:
        return []
    pose, scale = marker.pose, marker.scale
    numbers = [
        component
        for vector in (pose.position, scale, *marker.points)
        for component in conversions.vector3_from_ros(vector)
    ]
    # RViz calculates in single precision.
    found = [] if np.isfinite(np.array(numbers, dtype=np.float32)).all() else ['not finite']
    q = conversions.quaternion_from_ros(marker.pose.orientation)
    if abs(np.linalg.norm(q) - 1.0) > 1e-3:
        found.append('orientation')
    scales = (marker.scale.x, marker.scale.y, marker.scale.z)
    if marker.type in LINES:
        scales = scales[:1]
    if marker.type == Marker.TEXT_VIEW_FACING:
        # RViz takes x for the width of a space, and puts 1 cm between lines of its own.
        if not (0.0 < marker.scale.x < marker.scale.z and '\n' not in marker.text):
            found.append('text that cannot be read')
        scales = scales[2:]
        if not (marker.text and marker.text.isascii()):
            found.append('text')
    if not all(scale > 0.0 for scale in scales):
        found.append('scale')
    if not 0.0 < marker.color.a <= 1.0:
        found.append('transparent')
    count = len(marker.points)
    valid = {
        Marker.ARROW: count in (0, 2),
        Marker.LINE_STRIP: count >= 2,
        Marker.LINE_LIST: count >= 2 and count % 2 == 0,
        Marker.TRIANGLE_LIST: count >= 3 and count % 3 == 0,
    }.get(marker.type, count == 0)
    return found if valid else [*found, f'{count} points']


def placed(ros, overrides, floor):
    """Return a SimulatorNode on a floor, paused, with a MarkersNode, and what that publishes."""
    heard = ros.listen(MarkerArray, 'markers')
    given = [Parameter(name, value=value) for name, value in floor.items()]
    node = contact.offered(parameter_overrides=given)
    values = {**BALL, 'start_paused': True, 'step_ticks': 16, **overrides}
    simulator = ros.simulator(values, contact=lambda: node, autostart=False)
    ros.add(node)
    markers = ros.add(MarkersNode())
    ros.connected('/markers', '/contact/point', '/contact/wrench', '/ground_truth/odometry')
    ros.until(markers.ready)
    simulator.driver.start()
    return simulator, heard


def by_namespace(array):
    """Return {namespace: [markers that are shown]} of a MarkerArray."""
    found = {}
    for marker in array.markers:
        shown = found.setdefault(marker.ns, [])
        if marker.action == Marker.ADD:
            shown.append(marker)
    return found


def as_published(found):
    """Return what a simulator publishes as topic `scenario`: of the file all but a controller."""
    return scenario.dump(replace(found, controller=None))


def drawer(ros, found, momentum_y, others):
    """Return a function that publishes an instant and gives what RViz is to draw, by namespace.

    The body is at x = 2 m, TURNED, at 0.1 rad/s about z, with an L of momentum_y about y. The
    function takes {topic: message} of the others.

    others: {topic: class of its messages} of the others
    """
    heard = ros.listen(MarkerArray, 'markers')
    node = ros.add(MarkersNode())
    texts = node.create_publisher(String, 'scenario', qos.LATCHED)
    kinds = {
        'ground_truth/odometry': Odometry,
        'ground_truth/angular_momentum': Vector3Stamped,
        **others,
    }
    streams = {
        topic: node.create_publisher(kind, topic, qos.STREAM) for topic, kind in kinds.items()
    }
    ros.connected('/markers', '/scenario', *(f'/{topic}' for topic in streams))
    texts.publish(String(data=as_published(found)))
    ros.until(node.ready)
    moved, momentum = Odometry(), Vector3Stamped()
    moved.pose.pose.position.x = 2.0
    moved.pose.pose.orientation = conversions.quaternion_to_ros(TURNED)
    moved.twist.twist.angular.z = 0.1
    momentum.vector.y = momentum_y

    def draw(messages):
        number = len(heard)
        always = {'ground_truth/odometry': moved, 'ground_truth/angular_momentum': momentum}
        for topic, message in (always | messages).items():
            message.header.stamp.nanosec = 31_250_000 * number
            streams[topic].publish(message)
        ros.until(lambda: len(heard) == number + 1)
        assert not any(warnings_of_rviz(marker) for marker in heard[-1].markers)
        return by_namespace(heard[-1])

    return draw


def identities_of(array):
    """Return namespace and number of what a MarkerArray shows or takes away."""
    return [(one.ns, one.id) for one in array.markers if one.action != Marker.DELETEALL]


def stamp_of(array):
    """Return the stamp of a MarkerArray [ns]."""
    return conversions.nanoseconds_from_ros(array.markers[0].header.stamp)


def odometry(w=0.0, x=0.0, rate=0.0):
    """Return an Odometry with some numbers of its quaternion, position and rate."""
    message = Odometry()
    message.header.frame_id = 'world'
    message.pose.pose.orientation.w = w
    message.pose.pose.position.x = x
    message.twist.twist.angular.z = rate
    return message


def corners_of(markers):
    """Return the points of some markers (n, 3)."""
    return np.array(
        [conversions.vector3_from_ros(point) for marker in markers for point in marker.points]
    )


def test_every_tick_on_a_floor_has_markers_that_agree_with_the_topics(ros):
    points = ros.listen(PointStamped, 'contact/point')
    odometry = ros.listen(Odometry, 'ground_truth/odometry')
    fall = {'initial.position': [0.3, 0.0, 0.2], 'initial.velocity': [1.0, 0.0, 0.0]}
    _, heard = placed(ros, fall, {'friction': 0.2, 'restitution': 0.0})
    for _ in range(3):
        ros.call(Trigger, '/simulator/step')
    ros.until(lambda: len(heard) == len(points) == len(odometry) == 49)
    for array, point, body in zip(heard, points, odometry, strict=True):
        assert [
            warnings_of_rviz(marker) for marker in array.markers if warnings_of_rviz(marker)
        ] == []
        identities = identities_of(array)
        assert len(set(identities)) == len(identities)
        assert identities == identities_of(heard[-1])
        found = by_namespace(array)
        assert array.markers[0].header.stamp == point.header.stamp
        assert found['body'][0].pose == body.pose.pose
        assert np.allclose(corners_of(found['floor'])[:, 2], 0.0, atol=1e-12)
        if found['contact_point']:
            assert found['contact_point'][0].pose.position == point.point
            (force,) = found['contact_force']
            assert force.points[0] == point.point
            assert force.points[1].z > 0.0
    shown = [{ns for ns, markers in by_namespace(a).items() if markers} >= CONTACT for a in heard]
    first = shown.index(True)
    assert 3 < first < 10  # 0.1 m of fall take 4.6 ticks
    assert not any(shown[:first])
    assert all(shown[first:])
    path = corners_of(by_namespace(heard[-1])['contact_path'])
    above = path[-1] - conversions.vector3_from_ros(points[-1].point)
    assert above[:2] == pytest.approx((0.0, 0.0), abs=1e-12)
    assert above[2] == pytest.approx(0.03 * 0.1)  # the ball's radius is 0.1 m
    assert len(path) == 2 * (len(heard) - first - 1)


def test_the_drawn_floor_follows_its_changes_and_the_trace_stays(ros):
    simulator, heard = placed(
        ros,
        {'initial.angular_velocity': [0.0, 0.0, 1.0], 'initial.velocity': [1.0, 0.0, 0.0]},
        {'mode': 'sliding', 'place': True},
    )
    ros.call(Trigger, '/simulator/step')
    ros.until(lambda: len(heard) == 17)
    assert change(ros, floor__point=[0.0, 0.0, -3.0], floor__normal=[0.0, 0.6, 0.8]) == ''
    ros.call(Trigger, '/simulator/step')
    ros.until(lambda: len(heard) == 33)
    before, after = by_namespace(heard[16]), by_namespace(heard[-1])
    assert not corners_of(before['floor'])[:, 2].any()
    above = (corners_of(after['floor']) - (0.0, 0.0, -3.0)) @ (0.0, 0.6, 0.8)
    assert np.allclose(above, 0.0, atol=1e-12)
    assert len(after['trace'][0].points) == 33
    assert not after['contact_force']  # the floor fell away


def test_a_reset_begins_the_floor_anew(ros):
    floor = {'floor.amplitude': 0.05, 'floor.angular_frequency': 1.0, 'floor.phase': 0.3}
    _, heard = placed(ros, {}, {**floor, 'place': True})
    for service in ('step', 'reset'):
        ros.call(Trigger, f'/simulator/{service}')
    ros.until(lambda: len(heard) == 18)
    heights = [corners_of(by_namespace(array)['floor'])[0, 2] for array in heard]
    expected = 0.05 * np.sin(np.arange(17) / 32 + 0.3)
    assert heights == pytest.approx([*expected, expected[0]], abs=1e-12)


@pytest.mark.parametrize('name', scenario.shipped())
def test_rviz_accepts_the_body_of_every_scenario(name):
    from spacecraft_attitude_sim.nodes.markers.body_markers import BodyMarkers

    found = scenario.load(scenario.shipped()[name])
    for marker in BodyMarkers(body_looks.drawn_parts(found), found.plant.body).at(
        np.zeros(3), (1.0, 0.0, 0.0, 0.0)
    ):
        assert warnings_of_rviz(marker) == []


STRAY = {
    'scenario': [String(data=text) for text in ('[1', '', '# revision x', 'a: &a [*a]', '{}')],
    'ground_truth/inputs': [
        Float64MultiArray(data=data)
        for data in ([], [np.nan] * 66, [1e308] * 66, [np.inf] * 22, [0.0, 1.0] + [np.nan] * 64)
    ],
    'contact/wrench': [WrenchStamped(wrench=Wrench(force=Vector3(x=np.nan)))],
    'contact/point': [PointStamped(point=Point(z=number)) for number in (np.inf, 1e308)],
    'ground_truth/odometry': [
        odometry(**numbers)
        for numbers in (
            {'w': 1.0, 'x': np.nan}, {'w': 1.0, 'rate': np.inf}, {'w': 1.0, 'x': -1e308},
            {'w': 0.0}, {'w': np.nan}, {'w': 1e200},
        )
    ],
}  # fmt: skip


def test_stray_messages_are_counted_and_the_drawing_goes_on(ros):
    simulator, heard = placed(ros, {}, {'place': True})
    ros.until(lambda: len(heard) == 1)
    markers = next(node for node in ros.nodes if isinstance(node, MarkersNode))
    expected = 0
    for topic, strays in STRAY.items():
        publisher = simulator.create_publisher(type(strays[0]), topic, qos.LATCHED)
        ros.until(lambda p=publisher: p.get_subscription_count() > 0)
        for stray in strays:
            publisher.publish(stray)
            expected += 1
            ros.until(lambda: markers.mishaps.total() == expected)  # noqa: B023 (called at once)
    ros.call(Trigger, '/simulator/step')
    ros.until(lambda: len(heard) == 17)
    assert by_namespace(heard[-1])['contact_force']
    for array in heard:
        assert not any(warnings_of_rviz(marker) for marker in array.markers)
    assert markers.mishaps.total() == expected


def test_odometry_of_other_times_does_not_end_the_drawing_of_the_contact(ros):
    simulator, heard = placed(ros, {}, {'place': True})
    publisher = simulator.create_publisher(Odometry, 'ground_truth/odometry', qos.STREAM)
    ros.until(lambda: publisher.get_subscription_count() > 0 and len(heard) == 1)
    sent = 0
    for seconds in (range(1000, 1040), range(-40, 0)):
        for second in seconds:
            stray = odometry(w=1.0)
            stray.header.stamp.sec = second
            publisher.publish(stray)
        sent += len(seconds)
        # No more wait for the rest of their instant than the node will remember.
        ros.until(lambda: len(heard) == 1 + sent - MOST_WAITING)  # noqa: B023 (called at once)
    for _ in range(5):
        ros.call(Trigger, '/simulator/step')
    ros.until(lambda: any(stamp_of(array) == 2_500_000_000 for array in heard))
    (last,) = (array for array in heard if stamp_of(array) == 2_500_000_000)
    assert by_namespace(last)['contact_force']


def test_what_comes_before_the_scenario_is_drawn_with_it(ros):
    """Of two topics, the later message may come first; a paused run publishes no other."""
    heard = ros.listen(MarkerArray, 'markers')
    node = ros.add(MarkersNode())
    texts = node.create_publisher(String, 'scenario', qos.LATCHED)
    instants = node.create_publisher(Odometry, 'ground_truth/odometry', qos.STREAM)
    seen = ros.listen(Odometry, 'ground_truth/odometry')
    ros.connected('/markers', '/scenario')
    ros.until(lambda: instants.get_subscription_count() == 2)
    for number, w in enumerate((1.0, np.nan, 1.0)):
        early = odometry(w=w, rate=1.0)
        early.header.stamp.nanosec = 31_250_000 * number
        instants.publish(early)
    ros.until(lambda: len(seen) == 3)
    path = scenario.shipped()['tennis_racket']
    texts.publish(String(data=as_published(scenario.load(path))))
    ros.until(lambda: len(heard) == 2)
    assert [stamp_of(array) for array in heard] == [0, 62_500_000]
    assert node.mishaps.total() == 1


def test_motion_is_received_only_while_somebody_listens(ros):
    """What is drawn next begins anew: a trace has no chord over what nobody saw."""
    node = ros.add(MarkersNode())
    found = scenario.load(scenario.shipped()['tennis_racket'])
    node.create_publisher(String, 'scenario', qos.LATCHED).publish(
        String(data=as_published(found))
    )
    instants = node.create_publisher(Odometry, 'ground_truth/odometry', qos.STREAM)
    ros.until(node.ready)
    for start in (0.0, 5.0):
        assert instants.get_subscription_count() == 0
        heard = []
        listener = ros.node.create_subscription(MarkerArray, 'markers', heard.append, qos.STREAM)
        ros.until(lambda: instants.get_subscription_count() and node.ready())
        for number in range(3):
            now = odometry(w=1.0, rate=1.0)
            now.pose.pose.position.x = start + 0.1 * number
            now.header.stamp.nanosec = 62_500_000 * number
            instants.publish(now)
        ros.until(lambda: len(heard) == 3)  # noqa: B023 (called at once)
        assert heard[0].markers[0].action == Marker.DELETEALL
        (trace,) = by_namespace(heard[-1])['trace']
        assert trace.points[-1].x - trace.points[0].x == pytest.approx(0.2)
        ros.node.destroy_subscription(listener)
        ros.until(lambda: not instants.get_subscription_count())


def test_who_comes_and_goes_before_the_scenario_is_known_leaves_nothing(ros):
    node = ros.add(MarkersNode())
    for _ in range(2):
        listener = ros.node.create_subscription(MarkerArray, 'markers', print, qos.STREAM)
        ros.until(lambda: node._motions)
        assert not node.ready()
        ros.node.destroy_subscription(listener)
        ros.until(lambda: not node._motions)
    assert not node.mishaps


def test_another_body_takes_the_last_one_away(ros):
    heard = ros.listen(MarkerArray, 'markers')
    node = ros.add(MarkersNode())
    texts = node.create_publisher(String, 'scenario', qos.LATCHED)
    instants = node.create_publisher(Odometry, 'ground_truth/odometry', qos.STREAM)
    joints = node.create_publisher(JointState, 'joint_states', qos.STREAM)
    ros.connected('/markers', '/scenario', '/ground_truth/odometry', '/joint_states')

    def begun():
        instants.publish(odometry(w=1.0, rate=1.0))
        joints.publish(JointState(velocity=[0.0, 0.0, 100.0]))
        return [array for array in heard if array.markers[0].action == Marker.DELETEALL]

    names = ('tennis_racket', 'wheels_take_over', 'gravity_gradient')
    for number, name in enumerate(names):
        texts.publish(String(data=as_published(scenario.load(scenario.shipped()[name]))))
        ros.until(lambda: len(begun()) == number + 1)  # noqa: B023 (called at once)
    free, gyrostat, orbiting = (by_namespace(array) for array in begun())
    assert free['poinsot']
    assert 'poinsot' not in gyrostat | orbiting  # theirs would be no such ellipsoid, no plane
    after = [array for array in heard if array.markers[0].action == Marker.ADD]
    assert after
    for array in after:
        assert Marker.DELETEALL not in [marker.action for marker in array.markers]
        assert len(set(identities_of(array))) == len(array.markers)


def test_half_an_instant_of_a_body_is_not_drawn_with_the_next_body(ros, monkeypatch):
    node, drawn = ros.add(MarkersNode()), []
    monkeypatch.setattr(node, '_publish', lambda stamp, markers: drawn.append(stamp))
    body = scenario.load(scenario.find('wheels_take_over'))
    node.taker(topics.SCENARIO)(String(data=as_published(body)))
    node.taker(topics.ODOMETRY)(odometry(w=1.0))  # its joint_states never come
    body = scenario.changed(body, {'body.mass': 2.0}, '')
    node.taker(topics.SCENARIO)(String(data=as_published(body)))
    node.taker(topics.JOINTS)(JointState(velocity=[0.0, 0.0, 100.0]))
    assert not drawn
    node.taker(topics.ODOMETRY)(odometry(w=1.0))
    assert drawn == [0]


def test_poinsots_picture_goes_when_a_command_turns_the_body_and_comes_back_with_a_reset(ros):
    """What the simulator publishes does not say that somebody will command it."""
    told, heard = ros.listen(String, 'scenario', qos.LATCHED), ros.listen(MarkerArray, 'markers')
    path = scenario.shipped()['cubesat_pointing']
    given = {
        **scenario.read(path)['simulator'], 'initial.angular_velocity': [0.0, 0.0, 0.1],
        'lockstep': False, 'duration': 0.0, 'start_paused': True, 'step_ticks': 1,
    }  # fmt: skip
    simulator = ros.simulator(given, autostart=False)
    markers = ros.add(MarkersNode())
    commands = ros.node.create_publisher(WrenchStamped, 'command/wrench', 10)
    ros.connected('/markers', '/ground_truth/odometry')
    ros.until(lambda: markers.ready() and told and commands.get_subscription_count())
    published = as_published(scenario.changed(scenario.load(path), given, 'test'))
    assert told[-1].data == published  # with no word of a controller
    simulator.driver.start()
    ros.until(lambda: heard)

    def drawn(service):
        number = len(heard)
        ros.call(Trigger, f'/simulator/{service}')
        ros.until(lambda: len(heard) == number + 1)
        return by_namespace(heard[-1])['poinsot']

    assert len(drawn('step')) == 8
    commands.publish(  # four thousandths of L a tick
        WrenchStamped(
            header=Header(frame_id='base_link'),
            wrench=Wrench(torque=Vector3(z=0.128 * size_of_momentum(simulator.instant))),
        )
    )
    ros.until(lambda: simulator.commands.inbox.taken == 1)
    shown = [bool(drawn('step')) for _ in range(4)]
    assert shown == [True, True, False, False]
    assert drawn('reset')


def size_of_momentum(instant):
    """Return |L| of an Instant [N m s]."""
    return float(np.linalg.norm(instant.state.angular_momentum_W))


def test_a_spacecraft_in_a_namespace_has_its_name_above_it(ros):
    heard = ros.listen(MarkerArray, '/deputy/markers')
    given = {'caption': False, 'size_of_words': 3.0}
    node = ros.add(MarkersNode(given, namespace='deputy'))
    texts = ros.node.create_publisher(String, '/deputy/scenario', qos.LATCHED)
    instants = ros.node.create_publisher(Odometry, '/deputy/ground_truth/odometry', qos.STREAM)
    ros.until(instants.get_subscription_count)
    found = scenario.load(scenario.shipped()['cubesat_tumble'])
    texts.publish(String(data=as_published(found)))
    ros.until(node.ready)
    instants.publish(odometry(w=1.0, x=2.0, rate=1.0))
    ros.until(lambda: heard)
    of = by_namespace(heard[0])
    assert not any(warnings_of_rviz(marker) for marker in heard[0].markers)
    (name,) = of['name']
    reach = max(part.reach() for part in body_looks.drawn_parts(found))
    assert name.text == 'deputy'
    assert (name.pose.position.x, name.pose.position.y) == (2.0, 0.0)
    assert name.pose.position.z - name.scale.z / 2.0 > reach
    assert name.scale.z == pytest.approx(3.0 * NAME_HEIGHT * reach)
    assert 'caption' not in of


def test_discs_turn_with_their_wheels_and_the_arrows_of_momentum_are_of_a_gyrostat(ros):
    """Wheel z of wheels_take_over: J (Ω + ω) along z beside L = I ω + J Ω, ticks 0, 1, 2."""
    heard = ros.listen(MarkerArray, 'markers')
    node = ros.add(MarkersNode())
    texts = node.create_publisher(String, 'scenario', qos.LATCHED)
    instants = node.create_publisher(Odometry, 'ground_truth/odometry', qos.STREAM)
    joints = node.create_publisher(JointState, 'joint_states', qos.STREAM)
    ros.connected('/markers', '/scenario', '/ground_truth/odometry', '/joint_states')
    found = scenario.load(scenario.shipped()['wheels_take_over'])
    texts.publish(String(data=as_published(found)))
    ros.until(node.ready)
    rate, speeds = 0.5, (16.0, 48.0, -100.0)
    for tick, speed in enumerate(speeds):
        moved = odometry(w=np.cos(0.2), rate=rate, x=2.0)
        moved.pose.pose.orientation.z = np.sin(0.2)
        for publisher, message in (
            (instants, moved),
            (joints, JointState(velocity=[0.0, 0.0, speed])),
        ):
            message.header.stamp.nanosec = 31_250_000 * tick
            publisher.publish(message)
    ros.until(lambda: len(heard) == 3)
    wheels = found.plant.spacecraft.part('reaction_wheels')
    L = 0.007 * rate + wheels.inertias[2] * np.array(speeds)
    stored = wheels.inertias[2] * (np.array(speeds) + rate)
    drawn_L, drawn_h, arrows, turned = [], [], [], []
    for array in heard:
        assert not any(warnings_of_rviz(marker) for marker in array.markers)
        assert len(set(identities_of(array))) == len(identities_of(array))
        of = by_namespace(array)
        for ns, into in (
            ('angular_momentum', drawn_L), ('wheel_momentum', drawn_h), ('wheel_speeds', arrows),
        ):  # fmt: skip
            (marker,) = of[ns]  # of wheels that stand still there is none
            start, tip = corners_of([marker])
            into.append((tip - start)[2])
            assert (tip - start)[:2] == pytest.approx((0.0, 0.0), abs=1e-12)
        light, dark = of['wheels'][4:]
        assert light.pose == dark.pose
        assert light.pose.position.x == pytest.approx(2.0)
        assert light.pose.position.z > 0.17  # outside, on its axis
        q = light.pose.orientation
        turned.append(2.0 * np.arctan2(q.z, q.w))
    assert np.array(drawn_h) / drawn_L == pytest.approx(stored / L, rel=1e-9)
    # The longest so far has full length.
    assert drawn_L[1] / drawn_L[0] == pytest.approx(1.0, rel=1e-9)
    assert arrows[0] == pytest.approx(arrows[1])
    assert arrows[2] == pytest.approx(-arrows[1])
    # From the body's 0.4 rad, by the trapezoidal rule over a tick: 32/32 rad, then -26/32.
    angles = 0.4 + np.array((0.0, 1.0, 1.0 - 26.0 / 32.0))
    assert np.cos(turned - angles) == pytest.approx(np.ones(3), abs=1e-12)


def test_strange_joint_states_move_no_disc_and_no_momentum_is_guessed(ros):
    """Of another number of joints: discs stand still, and of L nobody knows."""
    heard = ros.listen(MarkerArray, 'markers')
    node = ros.add(MarkersNode())
    texts = node.create_publisher(String, 'scenario', qos.LATCHED)
    instants = node.create_publisher(Odometry, 'ground_truth/odometry', qos.STREAM)
    joints = node.create_publisher(JointState, 'joint_states', qos.STREAM)
    ros.connected('/markers', '/scenario', '/ground_truth/odometry', '/joint_states')
    found = scenario.load(scenario.shipped()['wheels_take_over'])
    texts.publish(String(data=as_published(found)))
    ros.until(node.ready)
    joints.publish(JointState(velocity=[np.inf] * 3))
    ros.until(lambda: node.mishaps.total() == 1)
    instants.publish(odometry(w=1.0, rate=1.0))
    joints.publish(JointState(velocity=[1.0] * 7))
    ros.until(lambda: len(heard) == 1)
    of = by_namespace(heard[0])
    assert len(of['wheels']) == 6
    assert of['angular_velocity']
    assert not (of['angular_momentum'] or of['wheel_momentum'] or of['wheel_speeds'])
