# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Functions of a Python file that the user names on the command line, as my_controller.py:damp."""

from __future__ import annotations

import functools
import sys
import traceback
from pathlib import Path
from types import ModuleType
from typing import Any

from spacecraft_attitude_sim.configuration import suggestion
from spacecraft_attitude_sim.configuration.yaml_file import text_of
from spacecraft_attitude_sim.recording.errors import CampaignError

# What goes before the name of the file, as the name of its module.
PREFIX = 'attitude_sim_file_'


class FromFile:
    """A function, class or other callable of a Python file; another process makes it again.

    said: FILE:NAME;  path, text: of the file;  name: in it
    found: what it is
    source: text that differs where it may do other things
    """

    def __init__(self, said: str, path: str, text: str, name: str) -> None:
        self.said, self.path, self.text, self.name = said, path, text, name
        self.source = f'{name}\0{text}'

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the text: the file may be on another machine, or changed."""
        return FromFile, (self.said, self.path, self.text, self.name)

    def __call__(self, *arguments: Any) -> Any:
        """Call it."""
        return self.found(*arguments)

    @property
    def found(self) -> Any:
        """What has the name; CampaignError where there is nothing that can be called."""
        try:
            names = vars(_module(self.path, self.text))
        except (Exception, SystemExit) as error:  # whatever the file does  # noqa: BLE001
            raise CampaignError(f'{self.said}: the file cannot be run: {told(error)}') from error
        if self.name not in names:
            own = [one for one, value in names.items() if callable(value)]
            hint = suggestion.hint(self.name, own) if own else 'it has no function'
            raise CampaignError(f'{self.said}: the file has no {self.name}; {hint}')
        found = names[self.name]
        if not callable(found):
            raise CampaignError(f'{self.said}: {self.name} is {found!r}; name a function')
        return found


def named(option: str, said: str) -> FromFile:
    """Return what FILE:NAME names, whose file is run; option: for messages.

    Raises CampaignError.
    """
    path, _, name = said.rpartition(':')
    if not (path and name.isidentifier()):
        raise CampaignError(f'{option} is {said}; give FILE:NAME, as my_controller.py:damp')
    whole = Path(path).absolute()
    found = FromFile(f'{option} {said}', str(whole), text_of(whole, CampaignError), name)
    assert callable(found.found)
    return found


def told(error: BaseException) -> str:
    """Return what an error is and where it was raised, in a line."""
    said = f'{type(error).__name__}: {error}'.rstrip(': ')
    if isinstance(error, SyntaxError):
        return said  # with its line
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f'{said} ({Path(last.filename).name}, line {last.lineno})'


@functools.cache
def _module(path: str, text: str) -> ModuleType:
    """Return the module of a text, which is run."""
    module = ModuleType(PREFIX + Path(path).stem)
    module.__file__ = path
    sys.modules[module.__name__] = module  # where classes of it are looked for
    exec(compile(text, path, 'exec'), vars(module))  # noqa: S102 (the user names it)
    return module
