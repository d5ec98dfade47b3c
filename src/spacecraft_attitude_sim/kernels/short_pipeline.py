# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Leave out what numba's compiler does and kernels do not need: half of its time.

Kernels compute with floats, and call other kernels. So

- no pass runs that rewrites array expressions, looks for what kernels have not, or annotates;
- no pass is timed and described for listeners;
- some functions of numba are replaced meanwhile (kernels.replacements);
- no garbage is collected: nearly all objects stay, and Python would look at them again and again;
- nobody hears the events of the lock around LLVM, one for each of ten thousands of calls.

Bits are the same, and outside of `unneeded_left_out` numba is as it was.
"""

from __future__ import annotations

import contextlib
import gc
from typing import TYPE_CHECKING, Any

from spacecraft_attitude_sim.kernels import replacements, short_passes
from spacecraft_attitude_sim.safety import garbage

if TYPE_CHECKING:
    from collections.abc import Iterator

# Passes of numba for array expressions, `with`, `literally` and `literal_unroll`, and for people
# who read types and parallel loops.
UNNEEDED = {
    'NopythonRewrites', 'WithLifting', 'FindLiterallyCalls', 'LiteralUnroll', 'AnnotateTypes',
    'DumpParforDiagnostics',
}  # fmt: skip
# Whether `unneeded_left_out` lasts.
_lasts = False


def passes_needed(passes: list[tuple[Any, str]]) -> Any:
    """Return the manager of those of numba's passes, (kind, text) each, that kernels need."""
    from numba.core.compiler_machinery import PassManager

    Manager: Any = PassManager

    class Passes(Manager):
        """Runs passes without times and events."""

        def _runPass(self, index: int, compiling: Any, state: Any) -> None:
            compiling.analysis = self._analysis
            with replacements.Context('Pass {name}', name=compiling.name()):
                compiling.run_initialization(state)
                compiling.run_pass(state)
                compiling.run_finalizer(state)

    manager: Any = Passes('nopython')
    short = short_passes.passes()
    manager.passes = [
        (short.get(kind, kind), text) for kind, text in passes if kind.__name__ not in UNNEEDED
    ]
    manager.finalize()
    return manager


@contextlib.contextmanager
def unneeded_left_out() -> Iterator[None]:
    """While it lasts, numba leaves out what the top of this file says.

    Call it with numba's lock of the compiler, so that no other thread compiles meanwhile.
    """
    global _lasts
    if _lasts:  # in a compilation that another one needs
        yield
        return
    import llvmlite.binding

    # Calls of the lock's listeners; a private list, left alone where it is none any more.
    listeners: list = getattr(llvmlite.binding.ffi.lib._lock, '_cblist', [])
    heard, listeners[:] = listeners[:], []
    collecting = gc.isenabled()
    gc.disable()
    _lasts = True
    try:
        with contextlib.ExitStack() as replaced:
            for replacement in replacements.replacements():
                replaced.enter_context(_replaced(*replacement))
            yield
    finally:
        _lasts = False
        listeners[:] = heard
        if collecting:
            garbage.grow_old()
            gc.enable()


@contextlib.contextmanager
def _replaced(owner: Any, name: str, value: Any) -> Iterator[None]:
    """Context in which a class or module has something else."""
    before = getattr(owner, name)
    setattr(owner, name, value)
    try:
        yield
    finally:
        setattr(owner, name, before)
