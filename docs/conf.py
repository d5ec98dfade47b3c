# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Configuration of the documentation site: `make docs` builds it with Sphinx into site/.

The pages are also readable on a forge. MyST reads Markdown as a forge does, so links between files
work in both. This file adds the four sections and fills two kinds of placeholders:

    <!-- api: MODULE NAME … -->    the docstrings of these names, or of __all__
    <!-- help: SUBCOMMAND -->      what `attitude-sim SUBCOMMAND --help` prints
"""

import gc
import importlib
import os
import re
import tempfile
from pathlib import Path

import myst_nb.sphinx_ext

import spacecraft_attitude_sim
from spacecraft_attitude_sim import __version__

# Collecting garbage takes a third of the time of the build, and frees little before its end.
gc.disable()

project = 'spacecraft_attitude_sim'
author = 'The spacecraft_attitude_sim authors'
copyright = '2026, ' + author  # noqa: A001 (Sphinx's name)
version = release = __version__

PUBLIC = spacecraft_attitude_sim.__all__

# Every page of the site, by section; a page that is missing here fails the build.
SHELVES = {
    'Start': (
        'start', 'ten_minutes', 'install', 'python', 'my_cubesat', 'my_law', 'my_controller',
        'my_estimator', 'beat_it', 'in_class', '../examples/notebooks/class_hour',
        '../examples/notebooks/tennis_racket',
        '../examples/notebooks/pointing_with_wheels', '../examples/notebooks/campaign',
        '../examples/notebooks/flat_spin', 'from_basilisk', 'from_gazebo', 'gallery',
    ),
    'How to': (
        'how_to', 'scenarios', 'controllers', 'design', 'estimator', 'guidance', 'ccsds', 'modes',
        'faults', 'pointing', 'campaigns', 'examination', 'learning', 'fmi', 'px4',
        'flight_software', 'figures', 'viewing', 'viewer', 'estimation', 'formation',
        'lifecycle', 'security',
    ),
    'Reference': (
        'commands', 'parameters', 'topics', 'api', 'conventions', 'sensors', 'spacecraft',
        'actuators', 'internal_parts', 'environment', 'contact', 'control',
        'glossary', '../CHANGELOG',
    ),
    'How it works and how it is checked': (
        'equations', 'quasi_coordinates', 'why_racket', 'why_rattleback', 'why_tippe_top',
        'flat_spin', 'accuracy', 'benchmarks', 'reliability',
        'trust', 'verification', 'architecture', 'release',
        'quality_declaration', '../CONTRIBUTING',
    ),
}  # fmt: skip

root_doc = 'README'
include_patterns = ['*.md', 'docs/*.md', 'examples/notebooks/*.ipynb']
exclude_patterns = ['.venv', 'build', 'install', 'log', 'output', 'site', '**/.*']

extensions = ['myst_nb', 'sphinx.ext.autodoc']
# Notebooks run again, so that results and figures are of this version. An error fails the build.
nb_execution_mode = 'force'
nb_execution_raise_on_error = True
nb_execution_in_temp = True
nb_execution_timeout = 300  # [s] per cell
# A temporary folder for the other files of myst_nb. IPython does not read the user's settings. Its
# kernel would warn of plain TCP, which stays on this machine.
IPYTHON = tempfile.TemporaryDirectory()
os.environ['IPYTHONDIR'] = IPYTHON.name
(profile := Path(IPYTHON.name, 'profile_default')).mkdir()
myst_nb.sphinx_ext.OUTPUT_FOLDER = str(Path(IPYTHON.name, 'executed'))
(profile / 'ipython_kernel_config.py').write_text("get_config().IPKernelApp.log_level = 'ERROR'\n")
# Anchors of headings are like those of a forge.
myst_heading_anchors = 4
# An indented block is a command or a formula, without a language.
highlight_language = 'none'
pygments_style = 'default'

# Some pages skip from the title to the third level.
suppress_warnings = ['myst.header']

autodoc_member_order = 'bysource'
autodoc_typehints = 'signature'
add_module_names = False

# Text stays as written: two hyphens stay two.
smartquotes = False

html_theme = 'furo'
html_title = 'Spacecraft attitude simulation'
html_copy_source = False
html_show_sourcelink = False
# Search works from files without a server; excerpts would have to be fetched.
html_show_search_summary = False
html_static_path = ['static']
html_js_files = [('search_rank.js', {'defer': 'defer'})]
html_theme_options = {'navigation_with_keys': True}

PLACE = re.compile(r'^<!-- (api|help): (.*) -->$', re.M)


def setup(app):
    """Connect the functions of this file to Sphinx."""
    app.connect('source-read', fill)
    app.connect('autodoc-process-docstring', as_it_reads)
    app.connect('build-finished', add_index)


def fill(app, name, source):
    """Fill the placeholders of a page; the first page gets the sections."""
    source[0] = PLACE.sub(lambda found: FILLED[found[1]](*found[2].split()), source[0])
    if name == root_doc:
        source[0] += ''.join(shelf(title, pages) for title, pages in SHELVES.items())


def shelf(title, pages):
    """Return a part of the navigation in MyST's syntax."""
    lines = [f'docs/{page}'.replace('docs/../', '') for page in pages]
    return '\n\n```{toctree}\n:hidden:\n:caption: ' + title + '\n\n' + '\n'.join(lines) + '\n```\n'


def api(module, *names):
    """Return directives that document names of a module."""
    full = project if module == project else f'{project}.{module}'
    if not names:  # except names that the package exports itself
        exported = importlib.import_module(full).__all__
        names = [name for name in exported if full == project or name not in PUBLIC]
    lines = [f'.. py:currentmodule:: {full}\n']
    for name in names:
        lines.append(f'.. autodata:: {full}.{name}\n   :no-value:\n')
        found = getattr(importlib.import_module(full), name)
        if isinstance(found, type):
            lines[-1] = f'.. autoclass:: {full}.{name}\n   :members:\n'
        elif callable(found):
            lines[-1] = f'.. autofunction:: {full}.{name}\n'
    return '```{eval-rst}\n' + '\n'.join(lines) + '```'


def help_of(command):
    """Return the --help text of a subcommand."""
    from spacecraft_attitude_sim import cli

    os.environ['COLUMNS'] = '88'
    parser = cli._parser([command])
    (commands,) = (
        action for action in parser._actions if hasattr(action, 'choices') and action.choices
    )
    return '```text\n' + commands.choices[command].format_help() + '```'


FILLED = {'api': api, 'help': help_of}


def as_it_reads(app, what, name, found, options, lines):
    """Show a docstring as in the source, because ours are plain text, not markup."""
    text = re.sub(r'([\\*|_])', r'\\\1', '\n'.join(lines))
    text = re.sub(r'`([^`\n]+)`', lambda part: f'``{part[1]}``'.replace('\\', ''), text)
    paragraphs = text.strip().split('\n\n')
    for index, paragraph in enumerate(paragraphs[1:], 1):
        paragraphs[index] = '\n'.join(f'| {line}' for line in paragraph.splitlines())
    lines[:] = '\n\n'.join(paragraphs).splitlines() + ['']


def add_index(app, error):
    """Make site/index.html redirect to the first page."""
    if error is None:
        there = f'<meta http-equiv="refresh" content="0; url={root_doc}.html">'
        Path(app.outdir, 'index.html').write_text(
            f'<!doctype html><title>{project}</title>{there}\n'
        )
