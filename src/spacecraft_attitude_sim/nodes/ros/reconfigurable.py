# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""A node that can be set up, released and set up again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from rcl_interfaces.msg import ParameterDescriptor, SetParametersResult

from spacecraft_attitude_sim.nodes.ros import declaration
from spacecraft_attitude_sim.nodes.ros.guard import GuardedNode

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from rclpy.parameter import Parameter


C = TypeVar('C', bound='Callable[..., object]')
# Kinds of entities of an rclpy node: the property `…s` lists them, and `destroy_…` destroys one.
KINDS = ('publisher', 'subscription', 'service', 'timer')


class Reconfigurable(GuardedNode):
    """A node that has only parameters before it is set up and after it is released.

    Until then its parameters are those that the user gave, unchecked. You can read and set them,
    and reset one to its default by `ros2 param delete`. Make the node with
    allow_undeclared_parameters and automatically_declare_parameters_from_overrides.
    """

    _fixed: set[str] | None = None

    def hold(self, given: Mapping[str, Any]) -> None:
        """Add parameters {name: value}; those of --ros-args override them."""
        self._unsayable: dict[str, Any] = {}
        for name, value in given.items():
            if self.has_parameter(name):
                continue
            try:
                if value == []:
                    raise TypeError('rclpy takes an empty list for bytes')
                anything = ParameterDescriptor(dynamic_typing=True)
                self.declare_parameter(name, value, anything, ignore_override=True)
            except Exception:  # rclpy has no type for the value; a later check reports it
                self._unsayable[name] = value
                if self.has_parameter(name):
                    self.undeclare_parameter(name)

    def begin_set_up(self) -> dict[str, Any]:
        """Return {name: value} of the user's parameters; after this call all may be declared."""
        self._kept = {kind: list(getattr(self, f'{kind}s')) for kind in KINDS}
        self._added: list[tuple[Callable[[Any], object], Callable[..., object]]] = []
        self._fixed = set()
        self._set_up_with: dict[str, Any] = {}
        self._given = declaration.take_overrides(self, self._unsayable)
        return dict(self._given)

    def end_set_up(self) -> None:
        """From now on until `release`, reject changes of read-only parameters."""
        self._set_up_with = self._values()
        self.add_on_set_parameters_callback(self._check_fixed)

    def release(self) -> None:
        """Destroy everything made since begin_set_up; keep the given and changed parameters."""
        if self._fixed is None:
            return
        for kind, kept in self._kept.items():
            for made in [one for one in getattr(self, f'{kind}s') if one not in kept]:
                getattr(self, f'destroy_{kind}')(made)
        for remove, callback in self._added:
            remove(callback)
        before, now = self._set_up_with, self._values()
        changed = {name: now[name] for name in before if now.get(name) != before[name]}
        for name in now:
            self.undeclare_parameter(name)
        self._fixed = None
        self.hold(self._given | changed)

    def _values(self) -> dict[str, Any]:
        """Return {name: value} of the parameters, without those of rclpy itself."""
        values = {
            name: parameter.value
            for name, parameter in self.get_parameters_by_prefix('').items()
            if name not in declaration.ROS_NAMES and not name.startswith('qos_overrides.')
        }
        return {
            name: list(value) if hasattr(value, 'typecode') else value
            for name, value in values.items()
        }

    def _check_fixed(self, changes: Sequence[Parameter[Any]]) -> SetParametersResult:
        fixed = ', '.join(change.name for change in changes if change.name in (self._fixed or ()))
        if not fixed:
            return SetParametersResult(successful=True)
        return SetParametersResult(
            successful=False,
            reason=f'{fixed} is fixed while configured; deactivate, clean up, set it, configure',
        )

    # --- made while it is set up --------------------------------------------------------

    def declare_parameters(
        self, namespace: str, parameters: Sequence[Any], ignore_override: bool = False
    ) -> list[Parameter[Any]]:
        """Declare parameters, none as read-only, because then it could not be undeclared.

        parameters: tuples (name, value, descriptor); value and descriptor may be missing
        """
        for name, *_, descriptor in (given for given in parameters if len(given) == 3):
            if self._fixed is not None and descriptor.read_only:
                descriptor.read_only = False
                self._fixed.add(name)
        return super().declare_parameters(namespace, parameters, ignore_override)

    def add_pre_set_parameters_callback(
        self, callback: Callable[[list[Parameter[Any]]], list[Parameter[Any]]]
    ) -> None:
        """Add a callback that `release` removes."""
        self._noted(self.remove_pre_set_parameters_callback, callback)
        super().add_pre_set_parameters_callback(callback)

    def add_on_set_parameters_callback(
        self, callback: Callable[[list[Parameter[Any]]], SetParametersResult]
    ) -> None:
        """Add a callback that `release` removes."""
        self._noted(self.remove_on_set_parameters_callback, callback)
        super().add_on_set_parameters_callback(callback)

    def add_post_set_parameters_callback(
        self, callback: Callable[[list[Parameter[Any]]], None]
    ) -> None:
        """Add a callback that `release` removes."""
        self._noted(self.remove_post_set_parameters_callback, callback)
        super().add_post_set_parameters_callback(callback)

    def _noted(self, remove: Callable[[C], object], callback: C) -> None:
        if self._fixed is not None:
            self._added.append((remove, callback))
