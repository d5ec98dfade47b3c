# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""How hot loops are compiled: numba, cached on disk, no fast-math.

Without fast-math the compiler may not reorder or fuse floating-point operations, so the same
inputs give the same bits in every caller (node, headless run, batch), and in Python itself, in
which a node computes its first ticks: kernels.warm_up. The compiler is imported when first needed.
"""

from __future__ import annotations

import array
import contextlib
import functools
import importlib
import os
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spacecraft_attitude_sim.kernels import (
    branches,
    code_digest,
    columns,
    fours,
    pointers,
)
from spacecraft_attitude_sim.kernels import cache as code_cache
from spacecraft_attitude_sim.safety import current_folder

if TYPE_CHECKING:
    from spacecraft_attitude_sim.kernels.warm_up import WarmUp

# While not None, a WarmUp of kernels.warm_up that handles all calls of kernels.
warming: WarmUp | None = None
# Whether a kernel has been compiled in this process.
begun = False
# What returns the function that calls a kernel without numba where it can; None: numba calls all.
light: Callable[[Kernel], Any] | None = None
# The file of settings that numba would read where one stands.
SETTINGS = '.numba_config.yaml'
# With this variable numba compiles nothing, not even its own parts. Then loops fail, because they
# take pointers, which Python has not.
DISABLING = 'NUMBA_DISABLE_JIT'
# Options of a Kernel that numba does not know.
OWN_OPTIONS = 'widest', 'aligned'
# Functions called by kernels that are not yet registered with numba; each has its `options`.
_inner: list[Any] = []


class Kernel:
    """A plain function of floats and flat float64 arrays, compiled when first called.

    function: in Python, the same bits slowly. While warm_up runs it, float64 arrays come as
    memoryviews: kernels index, slice and iterate them, and give them to numpy's functions.
    signature: the only one for which it is compiled, in numba's notation; None for that of any
        call
    options: of numba.njit, and OWN_OPTIONS of `lanes_as`
    loops: whether it is a long loop, never to be run in Python
    kept: whether its code is kept on disk
    found_as: (function, argument, attribute) by which another process finds it; None: by its name
    """

    __qualname__: str

    def __init__(
        self,
        function: Callable,
        signature: str | None = None,
        loops: bool = False,
        kept: bool = True,
        found_as: tuple[Callable, str, str] | None = None,
        **options: Any,
    ) -> None:
        functools.update_wrapper(self, function)
        self._found_as = found_as
        self.function = function
        self.loops, self._kept = loops, kept
        # It releases the GIL, so that a long call does not block other threads.
        self.signature, self.options = signature, {'nogil': True, **options}
        self._dispatcher: Any = None
        self._caller: Any = None
        self._run: Callable = self._first

    def __call__(self, *arguments: Any) -> Any:
        """Call the compiled function."""
        return self._run(*arguments)

    def __reduce__(self) -> str | tuple[Any, ...]:
        """Pickle as the name by which it is found, as for any function."""
        return (_found, self._found_as) if self._found_as else self.__qualname__

    def _first(self, *arguments: Any) -> Any:
        if warming is not None and not self.loops:
            return warming.call(self, arguments)
        if caller := self._light:
            result = caller(*arguments)
            self._run = caller.quickest
            return result
        functions = any(isinstance(argument, Kernel) for argument in arguments)
        self._run = self.call_numba if functions else self.dispatcher
        return self._run(*arguments)

    def call_compiled(self, *arguments: Any) -> Any:
        """Call the compiled function; some arguments may be functions."""
        return (self._light or self.call_numba)(*arguments)

    @property
    def _light(self) -> Any:
        """What calls it without numba where it can; None where numba is there already."""
        global begun
        if self._caller is None and light and self._kept and 'numba' not in sys.modules:
            begun = True
            self._caller = light(self)
        return self._caller

    def call_numba(self, *arguments: Any) -> Any:
        """Call what numba has compiled; some arguments may be functions."""
        return self.dispatcher(
            *(
                argument.dispatcher if isinstance(argument, Kernel) else argument
                for argument in arguments
            )
        )

    @property
    def dispatcher(self) -> Any:
        """Its dispatcher in numba."""
        global begun
        if self._dispatcher is None:
            begun = True
            with compiler() as numba:
                _tell(numba)
                self._dispatcher = self._dispatcher or _jit(
                    numba, self.function, self.signature, self.options, self._kept
                )
        return self._dispatcher

    def address(self, signature: str) -> int:
        """Return where the code stands that compiled code calls; signature: of that call."""
        if (caller := self._light) and (at := caller.address(signature)):
            return at
        dispatcher = self.dispatcher
        return _addresses().address_of(dispatcher, signature)

    @property
    def file_name(self) -> str:
        """Name of the files of its code on disk, without the suffix."""
        return code_digest.file_name(self.function, self.options)

    @property
    def decides(self) -> tuple:
        """What decides what it is compiled to (kernels.code_digest)."""
        return self.signature, *sorted(self.options.items()), self.function

    @property
    def _numba_type_(self) -> Any:
        """Its type in numba, where another kernel calls it."""
        return self._within._numba_type_

    @functools.cached_property
    def _within(self) -> Any:
        """Its dispatcher within another kernel: optimised with that alone, without own code."""
        with compiler() as numba:
            _tell(numba)
            unwrapped = {'no_cpython_wrapper': True, 'no_cfunc_wrapper': True}
            options = {**self.options, **unwrapped}
            return _jit(numba, self.function, self.signature, options, kept=False)


def _found(function: Callable, argument: str, attribute: str) -> Kernel:
    """Return the Kernel that is an attribute of what a function returns."""
    return getattr(function(argument), attribute)


def compiled_of(function: Callable, signature: str) -> tuple[Any, Any]:
    """Return numba's dispatcher of a function of the user, and numba's type of what it returns.

    Its code is not kept on disk: it would not be made again where a number changes that it takes
    from another file.

    signature: of its arguments, as numba reads it
    Raises ValueError with numba's reason in one line.
    """
    with compiler() as numba:
        _tell(numba)
        try:
            dispatcher = numba.njit(nogil=True)(getattr(function, 'py_func', function))
            dispatcher.compile(signature)
        except Exception as error:  # of numba, and whatever it meets  # noqa: BLE001
            raise ValueError(_reason(error)) from None
        (made,) = dispatcher.overloads.values()
        return dispatcher, made.signature.return_type


def _reason(error: Exception) -> str:
    """Return what numba says is wrong, without the ways it tried, and where."""
    text = re.sub(r'^Failed in .*', '', str(error))
    lines = re.findall(r'line (\d+):', text)
    said = re.split(r'\n(?:There are|Overload|File "|During:)', text)[0]
    return ' '.join(said.split()) + (f' (line {lines[-1]})' if lines else '')


class Handle:
    """Functions that a kernel calls by address: handle[0](…), handle[1](…).

    signature: common to all of them, in numba's notation
    """

    def __init__(self, signature: str, *kernels: Kernel) -> None:
        self.signature, self.kernels = signature, kernels

    def __getitem__(self, index: int) -> Callable:
        return self.kernels[index].function

    def __reduce__(self) -> tuple:
        """Pickle without the addresses: another process has others."""
        return Handle, (self.signature, *self.kernels)

    @property
    def address(self) -> int:
        """Where the addresses of the functions stand, one after another."""
        return self._table.buffer_info()[0]

    @functools.cached_property
    def _table(self) -> array.array:
        return array.array('Q', (kernel.address(self.signature) for kernel in self.kernels))

    @functools.cached_property
    def _numba_type_(self) -> Any:
        """Its type in numba."""
        return _addresses().Addresses(self.signature)


def _addresses() -> Any:
    """Return kernels.addresses, which needs numba."""
    return importlib.import_module('spacecraft_attitude_sim.kernels.addresses')


def compiled(function: Callable) -> Kernel:
    """Return the Kernel of a plain function."""
    return Kernel(function)


def compiled_as(signature: str) -> Callable[[Callable], Kernel]:
    """Return the decorator of a Kernel for one signature, so that it has an address."""
    return functools.partial(Kernel, signature=signature)


def unlocked_as(signature: str) -> Callable[[Callable], Kernel]:
    """Return the decorator of a Kernel for one signature: a long loop that many threads run."""
    return functools.partial(Kernel, signature=signature, loops=True, error_model='numpy')


def lanes_as(signature: str, aligned: bool = True) -> Callable[[Callable], Kernel]:
    """Return the decorator of such a loop over lanes of bodies, by the widest vectors there are.

    What it computes on should begin with a line of memory: kernels.columns.from_line.

    aligned: whether its stack does, too. Else half of the vectors that have no register may lie
        across two lines. It costs a register of addresses, which a loop over many arrays lacks.
    """
    return functools.partial(
        Kernel, signature=signature, loops=True, error_model='numpy', widest=True, aligned=aligned
    )


def _inner_function(options: dict[str, Any]) -> Callable[[Callable], Any]:
    def decorate(function: Callable) -> Callable:
        function.options = options  # type: ignore[attr-defined]
        _inner.append(function)
        return function

    return decorate


# Functions that kernels call are compiled with their caller and kept in its cache; called from
# Python they are plain functions. The decorators differ in who inlines the function:
# - inlined: numba, by copying the source before it compiles. Loops over lanes of bodies are
#   vectorised only with this: with `helper` a batch takes twice as long, to the same bits. Compile
#   time grows with every copy, too fast for contact. Divides by zero as its caller does.
# - helper: LLVM, always, after compiling it once; long tuples need not be passed.
# - part: LLVM, where it decides to; else it stays a call. It must be said, for a function without
#   the option has that of its caller: a part that a helper calls would always be inlined, too.
# The latter two divide by zero as NumPy does: a check costs a tenth of the time, and prevents
# vectorisation of a loop over lanes.
_INNER: dict[str, Any] = {
    'error_model': 'numpy',
    'no_cpython_wrapper': True,
    'no_cfunc_wrapper': True,
}
inlined = _inner_function({'inline': 'always'})
helper = _inner_function({'forceinline': True, **_INNER})
part = _inner_function({'forceinline': False, **_INNER})


class Functions:
    """Compiled functions by name, to be handed to compiled functions: `functions.name(…)`.

    In compiled code it has no value: its type says which functions they are. So they are inlined
    as any others, and the code can be kept on disk.

    label: what no others are called; names of compiled code have it in them
    """

    def __init__(self, label: str, **functions: Callable) -> None:
        self.label = label
        self.__dict__.update(functions)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f'there is no function {name}')

    @property
    def decides(self) -> tuple:
        """What decides what their callers are compiled to (kernels.code_digest)."""
        known = (item for item in vars(self).items() if item[0] != '_numba_type_')
        return self.label, *sorted(known, key=lambda item: item[0])

    @functools.cached_property
    def _numba_type_(self) -> Any:
        """Its type in numba."""
        return _teach_functions()(self)


@functools.cache
def _teach_functions() -> Any:
    """Register the type of Functions with numba, and return it."""
    from numba import types
    from numba.core import cgutils  # noqa: F401 (numba's registries need it)
    from numba.core.imputils import lower_constant
    from numba.core.typing.templates import AttributeTemplate
    from numba.core.typing.typeof import typeof
    from numba.extending import (
        infer_getattr,
        lower_getattr_generic,
        models,
        register_model,
        typeof_impl,
    )

    class Type(types.Type):
        def __init__(self, functions: Functions) -> None:
            self.functions = functions
            super().__init__(f'Functions({functions.label})')

    register_model(Type)(models.OpaqueModel)

    @typeof_impl.register(Functions)
    def kind_of(value: Any, context: Any) -> Any:
        return value._numba_type_

    @infer_getattr
    class Attributes(AttributeTemplate):
        key = Type

        def generic_resolve(self, kind: Any, name: str) -> Any:  # type: ignore[override]
            return typeof(getattr(kind.functions, name))

    @lower_getattr_generic(Type)
    def attribute(context: Any, builder: Any, kind: Any, value: Any, name: str) -> Any:
        return context.get_dummy_value()

    @lower_constant(Type)
    def constant(context: Any, builder: Any, kind: Any, value: Any) -> Any:
        return context.get_dummy_value()

    return Type


@contextlib.contextmanager
def compiler() -> Iterator[Any]:
    """Yield numba, to one thread at a time, by numba's own lock.

    The import skips a check for a BLAS that no kernel calls: numba would import scipy.linalg for
        it,
    which takes a quarter of a second.
    """
    _import_numba()
    import numba
    from numba.core.compiler_lock import global_compiler_lock
    from numba.np import linalg

    with global_compiler_lock:
        outside, linalg.ensure_blas = linalg.ensure_blas, lambda: None
        try:
            importlib.import_module('numba.np.arraymath')
        finally:
            linalg.ensure_blas = outside
        yield numba


def _import_numba() -> None:
    """Import numba, enabled, and without the settings of the current folder (anybody's).

    Raises RuntimeError where it has been imported disabled.
    """
    if 'numba' not in sys.modules:
        if os.environ.pop(DISABLING, '0') not in ('', '0'):
            text = f'attitude-sim: {DISABLING} is ignored: this needs compiled code'
            print(text, file=sys.stderr, flush=True)
        with current_folder.without(SETTINGS):
            config: Any = importlib.import_module('numba.core.config')
            config._config_fname = os.devnull
    import numba  # waits while another thread imports it

    if getattr(numba.config, 'DISABLE_JIT'):  # noqa: B009 (numba makes it as it goes)
        raise RuntimeError(f'numba was imported with {DISABLING} set; unset it and begin again')


def _tell(numba: Any) -> None:
    """Register the functions that kernels call with numba; it needs three attributes of them."""
    from spacecraft_attitude_sim.kernels import one_module

    pointers.teach()
    branches.teach()
    fours.teach()
    columns.teach()
    while _inner:
        function = _inner.pop()
        # A reference is kept here, because numba's is weak.
        options = {**function.options, 'pipeline_class': one_module.pipeline()}
        function.dispatcher = dispatcher = numba.njit(**options)(function)
        function._numba_type_ = dispatcher._numba_type_
        if 'inline' in options:
            function.targetoptions, function.py_func = dispatcher.targetoptions, function


def _jit(numba: Any, function: Callable, signature: Any, options: dict, kept: bool = True) -> Any:
    """Return numba's dispatcher, with its code cached on disk where a cache is possible.

    kept: whether to cache it at all
    """
    from numba.core import typeinfer

    from spacecraft_attitude_sim.kernels import one_module

    own = {key: value for key, value in options.items() if key not in OWN_OPTIONS}
    for key in OWN_OPTIONS:
        setattr(function, key, options.get(key, False))
    dispatcher = numba.njit(pipeline_class=one_module.pipeline(), **own)(function)
    name = code_digest.file_name(function, options)
    if kept and (cache := code_cache.cache_of(function, cache_directory(), name)):
        dispatcher._cache = cache
    if signature is not None:
        with typeinfer.register_dispatcher(dispatcher):
            dispatcher.compile(_addresses().signature_of(signature))
        dispatcher.disable_compile()
    return dispatcher


@functools.cache
def cache_directory() -> str:
    """Return the folder of code that this compiler made: our part of it, numba, the processor.

    The names of the files in it tell of what they were made: kernels.code_digest.
    """
    cache = os.environ.get('XDG_CACHE_HOME') or Path.home() / '.cache'
    root = os.environ.get('NUMBA_CACHE_DIR') or Path(cache) / 'spacecraft_attitude_sim'
    ours = code_digest.of_files('kernels', str(Path(root) / 'compiler'))
    versions = f'{code_cache.version_of("numba")} {code_cache.version_of("llvmlite")}'
    compiler = f'{versions} {code_cache.processor()}'.encode() + ours
    return str(Path(root) / code_cache.digest_of(compiler).hex()[:16])
