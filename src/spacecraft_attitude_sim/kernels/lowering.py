# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Make instructions of LLVM of numba's statements, without those that do nothing for numbers.

numba reads the old value of a variable before it writes a new one, and zeroes it at its end, as if
each value counted references.
"""

from __future__ import annotations

import functools
from typing import Any

from spacecraft_attitude_sim.kernels.replacements import counts_references


@functools.cache
def kind() -> Any:
    """Return the class that does it, without a debugger; numba must be imported already."""
    from numba.core import cgutils, ir
    from numba.core.lowering import Lower

    Base: Any = Lower

    class Lowering(Base):
        """numba's, quicker for numbers."""

        # Whether each variable has a place in memory, as for a debugger.
        _disable_sroa_like_opt = False

        def lower_inst(self, inst: Any) -> None:
            """Lower a statement; numba makes a text of it first."""
            if type(inst) is ir.Assign:
                name, value = inst.target.name, inst.value
                index = value.index + 1 if isinstance(value, ir.Arg) else None
                self.storevar(self.lower_assign(self.typeof(name), inst), name, argidx=index)
            elif type(inst) is ir.Del:
                self.delvar(inst.value)
            else:
                super().lower_inst(inst)

        def storevar(self, value: Any, name: str, argidx: int | None = None) -> None:
            """Write a value into a variable."""
            if name in self._singly_assigned_vars:
                self._blk_local_varmap[name] = value
            elif counts_references(self.context, self.typeof(name)):
                super().storevar(value, name, argidx=argidx)
            else:
                self._alloca_var(name, self.typeof(name))
                self.builder.store(value, self.getvar(name))

        def delvar(self, name: str) -> None:
            """End the life of a variable."""
            if counts_references(self.context, self.typeof(name)):
                super().delvar(name)
            elif name not in self._blk_local_varmap:
                self._singly_assigned_vars.discard(name)

        def alloca_lltype(self, name: str, lltype: Any, datamodel: Any = None) -> Any:
            """Give a variable a place in memory; numba asks for its size, for a debugger."""
            return cgutils.alloca_once(self.builder, lltype, name=name, zfill=False)

    return Lowering
