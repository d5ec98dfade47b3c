# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Passes of numba that look through a function only where it has what they are for."""

from __future__ import annotations

import functools
from typing import Any

from spacecraft_attitude_sim.kernels.replacements import counts_references

# Expressions that begin a closure or a list, and functions that numba copies to where they stand.
COPIED_EXPRESSIONS = {'make_function', 'build_list'}
COPIED_FUNCTIONS = {'reduce', 'stencil'}


@functools.cache
def passes() -> dict[Any, Any]:
    """Return {pass of numba: what runs instead}; numba must be imported already."""
    from numba.core import typed_passes, untyped_passes
    from numba.core.compiler_machinery import register_pass

    Inlining: Any = untyped_passes.InlineClosureLikes
    Legalizing: Any = typed_passes.IRLegalization

    @register_pass(mutates_CFG=True, analysis_only=False)
    class ClosuresInlined(Inlining):
        """Copies closures, and arrays of lists, to where they stand."""

        _name = 'closures_inlined'

        def run_pass(self, state: Any) -> bool:
            return _copies(state.func_ir) and super().run_pass(state)

    @register_pass(mutates_CFG=True, analysis_only=False)
    class LifetimesEnded(Legalizing):
        """Ends the lives of variables, for those that count references."""

        _name = 'lifetimes_ended'

        def run_pass(self, state: Any) -> bool:
            counts = (counts_references(state.targetctx, kind) for kind in state.typemap.values())
            return any(counts) and super().run_pass(state)

    return {Inlining: ClosuresInlined, Legalizing: LifetimesEnded}


def _copies(code: Any) -> bool:
    """Return whether a function may have closures; code: numba's FunctionIR."""
    from numba.core import ir

    for block in code.blocks.values():
        for value in (line.value for line in block.body if isinstance(line, ir.Assign)):
            if isinstance(value, ir.Expr):
                named = value.attr if value.op == 'getattr' else ''
                if value.op in COPIED_EXPRESSIONS or named in COPIED_FUNCTIONS:
                    return True
            elif getattr(value, 'name', '') in COPIED_FUNCTIONS:
                return True
    return False
