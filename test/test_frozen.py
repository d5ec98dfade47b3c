# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Our frozen dataclasses do what those of the standard library do, and are made without exec."""

import builtins
import copy
import dataclasses
import functools
import inspect
import pickle
import re
from dataclasses import field, fields, replace
from pathlib import Path

import pytest

from spacecraft_attitude_sim.safety import frozen

OURS = Path(frozen.__file__).parents[1]


def classes(dataclass):
    """Return classes of all kinds that we use, decorated by a dataclass."""

    @dataclass(frozen=True)
    class Plain:
        """Three fields, one of a default."""

        a: float
        b: tuple = ()
        c: dict = field(default_factory=dict, compare=False, repr=False)

    @dataclass(frozen=True)
    class Derived(Plain):
        """One more field, a computed one, and one that is kept once it is asked."""

        d: int = 3
        e: float = field(init=False, repr=False)

        def __post_init__(self):
            if self.d < 0:
                raise ValueError('d is negative; give 0 or more')
            object.__setattr__(self, 'e', 2.0 * self.a)

        @functools.cached_property
        def sum(self):
            return self.a + self.d

    @dataclass(frozen=True, kw_only=True)
    class Named:
        """Only by name."""

        x: int = 1
        y: str

    @dataclass(frozen=True, kw_only=True, eq=False, repr=False)
    class Alone:
        """Equal to itself only."""

        x: int = 1

    @dataclass(frozen=True)
    class Spoken:
        """With methods of its own."""

        x: int = 1

        def __repr__(self):
            return f'<{self.x}>'

        def __eq__(self, other):
            return self.x % 2 == other.x % 2

        def __hash__(self):
            return self.x % 2

    return Plain, Derived, Named, Alone, Spoken


# Module names for pickle: the classes of this module are ours.
Plain, Derived, Named, Alone, Spoken = classes(frozen.dataclass)
for one in (Plain, Derived, Named, Alone, Spoken):
    one.__qualname__ = one.__name__


def tell(call):
    """Return the result of a call as a text, or its error."""
    try:
        return repr(call())
    except Exception as error:
        return f'{type(error).__name__}: {error}'


def set_to(instance, name, value):
    """Set an attribute."""
    setattr(instance, name, value)


def deleted(instance, name):
    """Delete an attribute."""
    delattr(instance, name)


def inheriting(parent, dataclass):
    """Return a dataclass of a parent, with a field more."""

    @dataclass(frozen=True)
    class Mine(parent):
        z: int = 1

    return Mine


CALLS = {
    'text': lambda P, D, N, A, S: [P(1.0), D(1.0, (2,)), N(y='u'), S(4), repr(A())[:20]],
    'equal': lambda P, D, N, A, S: [
        P(1.0) == P(1.0), P(1.0, c={1: 2}) == P(1.0), P(1.0) == P(2.0), P(1.0) == D(1.0),
        P(1.0) == 1.0, N(y='u') == N(y='u', x=1), A() == A(), S(1) == S(3), P(1.0) != P(1.0),
    ],
    'hash': lambda P, D, N, A, S: [
        hash(P(1.0)) == hash(P(1.0, c={1: 2})), hash(D(1.0)) == hash(D(2.0)), hash(S(5)),
        len({N(y='u'), N(y='u'), N(y='v')}), len({A(), A()}),
    ],
    'not hashed': lambda P, D, N, A, S: hash(P(1.0, [])),
    'fields': lambda P, D, N, A, S: [
        [(one.name, one.init, one.repr, one.compare, one.kw_only) for one in fields(kind)]
        for kind in (P, D, N, A, S)
    ],
    'as dict': lambda P, D, N, A, S: dataclasses.asdict(D(1.0, (2,), {3: 4})),
    'replaced': lambda P, D, N, A, S: [replace(D(1.0), d=5), replace(D(1.0), a=7.0).e],
    'replaced by nonsense': lambda P, D, N, A, S: replace(D(1.0), e=1.0),
    'checked': lambda P, D, N, A, S: D(1.0, d=-1),
    'cached': lambda P, D, N, A, S: [D(1.0).sum, vars(D(1.0))],
    'copied': lambda P, D, N, A, S: [copy.copy(D(1.0)), copy.deepcopy(D(1.0, ([],)))],
    'signature': lambda P, D, N, A, S: [
        str(inspect.signature(kind)).replace('frozen.', '') for kind in (D, N, S)
    ],
    'matched': lambda P, D, N, A, S: [D.__match_args__, N.__match_args__, P.__doc__],
    'set': lambda P, D, N, A, S: set_to(P(1.0), 'a', 2.0),
    'set what init leaves out': lambda P, D, N, A, S: set_to(D(1.0), 'e', 2.0),
    'set what is no field': lambda P, D, N, A, S: set_to(D(1.0), 'other', 2.0),
    'delete': lambda P, D, N, A, S: deleted(P(1.0), 'a'),
    'delete what is no field': lambda P, D, N, A, S: deleted(P(1.0), 'other'),
    'too few': lambda P, D, N, A, S: P(),
    'unknown': lambda P, D, N, A, S: P(1.0, z=2),
    'by place': lambda P, D, N, A, S: N(1, 'u'),
    'recursive': lambda P, D, N, A, S: (lambda one: (one.b.append(one), one)[1])(P(1.0, [])),
    'inherited': lambda P, D, N, A, S: [
        inheriting(P, dataclasses.dataclass)(2.0), inheriting(D, dataclasses.dataclass)(2.0).e,
        tell(lambda: set_to(inheriting(P, dataclasses.dataclass)(2.0), 'z', 1)),
    ],
    'inherited by one not frozen': lambda P, D, N, A, S: inheriting(
        P, lambda frozen: dataclasses.dataclass
    ),
}  # fmt: skip


@pytest.mark.parametrize('what', CALLS)
def test_they_do_what_those_of_the_standard_library_do(what):
    ours, theirs = (
        re.sub(r'classes\.<locals>\.', '', tell(functools.partial(CALLS[what], *classes(kind))))
        for kind in (frozen.dataclass, dataclasses.dataclass)
    )
    assert ours == theirs


def test_they_are_pickled_with_what_init_leaves_out():
    one = pickle.loads(pickle.dumps(Derived(1.0, (2,), {3: 4}, 5)))
    assert one == Derived(1.0, (2,), {3: 4}, 5) and one.e == 2.0 and one.c == {3: 4}
    with pytest.raises(dataclasses.FrozenInstanceError):
        one.a = 2.0


def test_one_that_is_not_frozen_is_refused():
    with pytest.raises(ValueError, match=r'take dataclasses\.dataclass'):
        frozen.dataclass(frozen=False)


def test_they_compile_one_method_each(monkeypatch):
    compiled = []
    monkeypatch.setattr(
        dataclasses, 'exec', lambda *given: compiled.append(1) or builtins.exec(*given),
        raising=False,
    )  # fmt: skip
    classes(frozen.dataclass)
    assert len(compiled) == 7  # Derived takes three
    compiled.clear()
    classes(dataclasses.dataclass)
    assert len(compiled) > 20


def test_all_frozen_dataclasses_of_ours_are_of_this_kind():
    texts = {path: path.read_text() for path in OURS.rglob('*.py') if path.name != 'frozen.py'}
    frozen_ones = [path for path, text in texts.items() if '@dataclass(frozen=True' in text]
    assert len(frozen_ones) > 60
    line = 'from spacecraft_attitude_sim.safety.frozen import dataclass\n'
    assert not [path for path in frozen_ones if line not in texts[path]]
