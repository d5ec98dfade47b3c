# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Optimise a kernel once, together with all that it calls.

By default numba optimises each function with all that it calls, and makes machine code of it, and
does so again for each of its callers: a helper five calls deep is optimised six times. Here a
function that only kernels call is only made short, and the kernel at the top is optimised as one
module. It takes less than a third of the time to compile, and gives the same bits. What kernels do
not need of numba's compiler is left out, too (kernels.short_pipeline).
"""

from __future__ import annotations

import functools
from typing import Any

from spacecraft_attitude_sim.kernels import columns, lowering, short_pipeline
from spacecraft_attitude_sim.kernels.cache import compiling, name_of

# Passes of LLVM for a function that is still to be inlined, by their names in llvmlite.
SIMPLIFYING = 'sroa', 'instruction_combine', 'simplify_cfg'
# Attribute of a function in LLVM. Without it vectors of 512 bits stay unused on many processors
# that have them, which a few such instructions among others would slow down. A loop over lanes has
# nearly no others.
WIDEST = '"prefer-vector-width"="512"'
# How many comparisons LLVM makes to find which addresses of a loop are in one array. With 100,
# which is usual, a long loop over lanes that reads a second array compares each with each when it
# runs, or is not vectorised at all. LLVM ends the process if it does not know an option, so a
# version that is newer than that of constraints.txt is not told.
MERGING, LLVMS = '--memory-check-merge-threshold=100000', range(14, 23)


@functools.cache
def pipeline() -> Any:
    """Return numba's compiler with this change; numba must be imported already.

    https://numba.readthedocs.io/en/stable/extending/compiler.html describes such a compiler.
    """
    from numba.core.compiler import CompilerBase, DefaultPassBuilder
    from numba.core.compiler_machinery import register_pass
    from numba.core.typed_passes import NativeLowering

    _let_arrays_be_found()
    inner, top, widest, aligned = _libraries()
    passes: list[Any] = []

    @register_pass(mutates_CFG=True, analysis_only=False)
    class Lowering(NativeLowering):
        _name = 'lowering_to_one_module'

        @property
        def lowering_class(self) -> Any:
            return super().lowering_class if self.debugged else lowering.kind()

        def run_pass(self, state: Any) -> bool:
            flags = state.flags
            self.debugged = flags.debuginfo
            if state.library is None:
                function, kind = state.func_id.func, top
                if getattr(function, 'widest', False):
                    kind = aligned if function.aligned else widest
                if flags.no_cpython_wrapper and flags.no_cfunc_wrapper:
                    kind = inner
                state.library = kind(state.targetctx.codegen(), state.func_id.func_qualname)
                state.library.enable_object_caching()
            return super().run_pass(state)

    class Compiler(CompilerBase):
        def compile_extra(self, func: Any) -> Any:
            with compiling.noted(name_of(func)), short_pipeline.unneeded_left_out():
                return super().compile_extra(func)

        def define_pipelines(self) -> list:
            if not passes:  # the same for all
                whole = DefaultPassBuilder.define_nopython_pipeline(self.state)
                passes.append(short_pipeline.passes_needed([
                    (Lowering if kind is NativeLowering else kind, text)
                    for kind, text in whole.passes
                ]))  # fmt: skip
            return passes

    return Compiler


def _let_arrays_be_found() -> None:
    """Let LLVM find which addresses are in one array, however many a loop has; call it once."""
    import llvmlite.binding as llvm

    if llvm.llvm_version_info[0] in LLVMS:
        llvm.set_option(__name__, MERGING)


class _Environments:
    """numba's code generator; keeps an environment until the code that has it is made."""

    def __init__(self, codegen: Any, library: Any) -> None:
        self._codegen, self._library = codegen, library

    def __getattr__(self, name: str) -> Any:
        return getattr(self._codegen, name)

    def set_env(self, name: str, environment: Any) -> None:
        self._library.environments[name] = environment


def _simplified(library: Any, ll_module: Any) -> None:
    """Make functions short, before callers copy them.

    As numba writes them they are many times as long, and each caller that inlines one would have
    that copy to simplify.
    """
    import llvmlite.binding as llvm

    codegen = library._codegen
    ll_module.data_layout = codegen._data_layout
    if hasattr(codegen, '_pass_builder'):  # since numba 0.62
        passes = llvm.create_new_module_pass_manager()
        for name in SIMPLIFYING:
            getattr(passes, f'add_{name}_pass', _nothing)()
        passes.run(ll_module, codegen._pass_builder())


def _nothing() -> None:
    """Leave out a pass that an older llvmlite has not."""


def _libraries() -> tuple[Any, Any, Any, Any]:
    """Return the kinds of numba's library: of an inner function, and of three kinds of kernel.

    These are any kernel, one with the widest vectors, and one whose stack is aligned as well.
    """
    from numba.core.codegen import JITCodeLibrary

    inner = _inner(JITCodeLibrary)
    inner.top = top = _top(JITCodeLibrary, inner)
    return inner, top, _widest(top, 0), _widest(top, columns.LINE)


def _inner(library: Any) -> Any:
    """Return the kind of an inner function; library: numba's kind."""

    class Inner(library):  # type: ignore[misc]
        """A function that only compiled code calls: not optimised, without machine code.

        top: the kind of a kernel
        """

        top: Any

        def __init__(self, codegen: Any, name: str) -> None:
            super().__init__(codegen, name)
            self.environments: dict[str, Any] = {}
            self._whole: Any = None
            self._taken = False
            self._known_outside: list[str] = []

        @property
        def codegen(self) -> Any:
            return _Environments(self._codegen, self)

        _optimize_functions = _simplified

        def add_llvm_module(self, module: Any) -> None:
            """Take a module as its own, or add it to that."""
            if self._taken:
                super().add_llvm_module(module)
                return
            self._optimize_functions(module)
            self._final_module, self._taken = module, True

        def finalize(self) -> None:
            self._raise_if_finalized()
            for other in self._linking_libraries:
                _inherit(self, other)
            self._finalized = True

        def get_pointer_to_function(self, name: str) -> int:
            return 0

        def own_module(self) -> Any:
            """Return its module, without what it calls: a Top links that, too."""
            self._known_outside += _hidden(self._final_module)
            return self._final_module

        def _get_module_for_linking(self) -> Any:
            """Return its module with all that it calls, for a caller that is no Top."""
            if self._whole is None:
                self._whole = self.top(self._codegen, self.name)
                for name in self._known_outside:  # else LLVM would leave it out here, too
                    self._final_module.get_function(name).linkage = 'external'
                self._whole._final_module.link_in(self._final_module, preserve=True)
                self._whole.add_linking_library(self)
            return self._whole._get_module_for_linking()

    return Inner


def _hidden(module: Any) -> list[str]:
    """Let LLVM leave out functions of a module that all callers inline; return their names."""
    from llvmlite.binding import Linkage

    functions = [each for each in module.functions if not each.is_declaration]
    known = [function for function in functions if function.linkage == Linkage.external]
    for function in known:
        function.linkage = 'linkonce_odr'
    return [function.name for function in known]


def _top(library: Any, inner: Any) -> Any:
    """Return the kind of a kernel; library: numba's kind, inner: of an inner function."""

    class Top(library):  # type: ignore[misc]
        """A kernel: linked with all that it calls, at any depth, and optimised once."""

        _optimize_functions = _simplified

        def finalize(self) -> None:
            linked = _all_linked(self, inner)
            # Kept, because their environments must stay.
            self._inner = [other for other in linked if isinstance(other, inner)]
            self._linking_libraries[:] = [
                other for other in linked if not isinstance(other, inner)
            ]
            for other in self._inner:
                _inherit(self, other)
                self._final_module.link_in(other.own_module(), preserve=True)
            super().finalize()
            for other in self._inner:
                _set_environments(self._codegen, other.environments)

    return Top


def _widest(top: Any, alignment: int) -> Any:
    """Return the kind of a kernel that computes with the widest vectors.

    top: kind of a kernel;  alignment: of its stack [bytes], 0 for that of any function
    """

    class Widest(top):  # type: ignore[misc]
        def add_ir_module(self, ir_module: Any) -> None:
            for function in ir_module.functions:
                if not function.is_declaration:
                    # llvmlite knows the attributes without a value alone, but writes any.
                    set.add(function.attributes, WIDEST)
                    function.attributes.alignstack = alignment
            super().add_ir_module(ir_module)

    return Widest


def _inherit(library: Any, linked: Any) -> None:
    """Let a library do again, when it is loaded, what one that it links with does."""
    if hasattr(library, '_reload_init'):  # since numba 0.63
        library._reload_init.update(linked._reload_init)


def _set_environments(codegen: Any, environments: dict[str, Any]) -> None:
    """Give environments to the code that has them; optimised code may have none."""
    engine = codegen._engine
    for name, environment in environments.items():
        if engine.is_symbol_defined(name) and engine.get_global_value_address(name):
            codegen.set_env(name, environment)


def _all_linked(library: Any, inner: Any) -> list:
    """Return the libraries that one links with: its own, and those of inner ones.

    Each comes after all that call it, for LLVM links a function only where a call of it stands.
    """
    order: list[Any] = []
    known: set[Any] = set()

    def visit(caller: Any) -> None:
        for called in caller._linking_libraries:
            if called not in known:
                known.add(called)
                if isinstance(called, inner):
                    visit(called)
                order.append(called)

    visit(library)
    return order[::-1]
