# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Python modules that a scenario names: they are imported only if the user trusts them.

Trust is stored in an environment variable, so that processes started from here inherit it. It is
not a parameter, because a scenario could set that itself. See docs/trust.md.
"""

from __future__ import annotations

import importlib
import os
import re
from typing import TYPE_CHECKING, Any

from spacecraft_attitude_sim.configuration.parameters import ParameterError
from spacecraft_attitude_sim.kernels.kernel import Kernel

if TYPE_CHECKING:
    from collections.abc import Iterable


VARIABLE = 'ATTITUDE_SIM_TRUST'
OWN = 'spacecraft_attitude_sim.core'
MODULE = r'[^\W\d]\w*(?:\.[^\W\d]\w*)*'
NAMED = rf'({MODULE}):([^\W\d]\w*)'


def give(modules: Iterable[str]) -> None:
    """Trust modules and their submodules, in this process and those started from it.

    Raises ParameterError for a text that is not the name of a module.
    """
    modules = tuple(modules)
    for module in modules:
        if not re.fullmatch(MODULE, module):
            raise ParameterError(f"--trust is '{module}'; give a module's name, as my_package")
    if modules:
        os.environ[VARIABLE] = ','.join(dict.fromkeys((*given(), *modules)))


def given() -> list[str]:
    """Return the names of the modules that the user trusts."""
    return named_in(os.environ.get(VARIABLE, ''))


def named_in(text: str) -> list[str]:
    """Return the names in a comma-separated text."""
    return [name for name in text.replace(' ', '').split(',') if name]


def allows(named: str) -> bool:
    """Return whether the function package.module:name may be imported."""
    found = re.fullmatch(NAMED, named)
    return found is not None and any(
        f'{found[1]}.'.startswith(f'{module}.') for module in (OWN, *given())
    )


def imported(key: str, named: str, kind: str) -> Any:
    """Import and return the object package.module:name.

    key: name of the parameter, for messages;  kind: description of the expected object
    Raises ParameterError for a module that is not trusted, without importing it, and for a name
    that the module does not have.
    """
    found = re.fullmatch(NAMED, named)
    if not found:
        raise ParameterError(f"{key} is '{named}'; give package.module:name of {kind}")
    module, name = found.groups()
    if not allows(named):
        raise ParameterError(
            f"{key} is '{named}': this runs code of module {module}, which is not trusted; "
            f'if you trust it, give --trust {module}, or set {VARIABLE}={module}'
        )
    try:
        return getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError, SyntaxError) as error:
        raise ParameterError(
            f"{key} is '{named}': {error}; give package.module:name of {kind} that Python can "
            'import; add its folder to PYTHONPATH'
        ) from None


def kernel(key: str, named: str, signature: str) -> Kernel:
    """Return the compiled function package.module:name.

    key: name of the parameter, for messages;  signature: numba signature it must have
    Raises ParameterError as `imported`, and for an object that is not such a function.
    """
    function = imported(key, named, 'a compiled function')
    if not (isinstance(function, Kernel) and function.signature == signature):
        raise ParameterError(
            f"{key} is '{named}', which is no function of the kind needed; make it with the "
            'decorator in docs/contact.md'
        )
    return function
