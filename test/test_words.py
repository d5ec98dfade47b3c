# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Local names that say nothing become fewer, never more; functions and files stay short."""

import ast
from collections import Counter
from pathlib import Path

import pytest

import spacecraft_attitude_sim

SOURCE = Path(spacecraft_attitude_sim.__file__).parent
# Functions of the source that have a variable or argument of this name. Lower a number when it
# falls; CONTRIBUTING.md has better words.
MOST = {'found': 257, 'one': 259, 'several': 60, 'made': 42, 'said': 53, 'told': 29}
# Most lines of a function, with its docstring, and of a file.
LONGEST_FUNCTION, LONGEST_FILE = 60, 500


def names_in(function):
    """Return the names of arguments and variables of a function, those inside it included."""
    return {
        node.arg if isinstance(node, ast.arg) else node.id
        for node in ast.walk(function)
        if isinstance(node, ast.arg)
        or (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store))
    }


def functions_with(trees):
    """Return {name: how many functions have a variable or argument of this name}."""
    kinds = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
    counts = Counter()
    for tree in trees:
        for node in ast.walk(tree):
            if isinstance(node, kinds):
                counts.update(names_in(node))
    return counts


@pytest.fixture(scope='module')
def trees():
    """{path: syntax tree} of all modules."""
    return {path: ast.parse(path.read_text(encoding='utf-8')) for path in SOURCE.rglob('*.py')}


@pytest.fixture(scope='module')
def counts(trees):
    """How many functions have a variable or argument, by its name."""
    return functions_with(trees.values())


@pytest.mark.parametrize('word', MOST)
def test_names_that_say_nothing_become_fewer(word, counts):
    count = counts[word]
    assert count <= MOST[word], f'name what it is: {word} is in {count} functions'
    assert count > 0.8 * MOST[word], f'good: lower the ceiling of {word} to {count}'


def test_the_count_sees_arguments_variables_and_loops():
    text = """
def f(one):
    found = [made for made in one]
    for told in found: pass
    return lambda said: said
"""
    counts = functions_with([ast.parse(text)])
    counts = {word: counts[word] for word in MOST}
    assert counts == {'found': 1, 'one': 1, 'several': 0, 'made': 1, 'said': 2, 'told': 1}


def test_functions_and_files_stay_short(trees):
    functions, files = {}, {}
    for path, tree in trees.items():
        name = path.relative_to(SOURCE).as_posix()
        files[name] = len(path.read_text(encoding='utf-8').splitlines())
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                functions[f'{name}: {node.name}'] = node.end_lineno - node.lineno + 1
    assert {one: n for one, n in functions.items() if n > LONGEST_FUNCTION} == {}
    assert {one: n for one, n in files.items() if n > LONGEST_FILE} == {}
    assert len(functions) > 4000
