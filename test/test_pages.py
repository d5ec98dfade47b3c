# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""What a reader copies from the pages works: links, commands, Python, YAML; the site, too."""

import ast
import importlib
import json
import re
import runpy
import shlex
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
import yaml
from conftest import ROOT
from PIL import Image
from processes import called, printed
from scipy.spatial.transform import Rotation

import spacecraft_attitude_sim
from spacecraft_attitude_sim import cli
from spacecraft_attitude_sim.campaigns import campaign
from spacecraft_attitude_sim.configuration import formation, scenario
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.subcommands import run as run_command

PAGES = {path.name: path for path in (*ROOT.glob('*.md'), *(ROOT / 'docs').glob('*.md'))}
NOTEBOOKS = sorted((ROOT / 'examples' / 'notebooks').glob('*.ipynb'))
FENCE = re.compile(r'^( *)```(\w*)\n(.*?)^\1```$', re.M | re.S)
OUTSIDE = re.compile(
    r'https://(?![\w.-]*\b(?:example|invalid|localhost)\b)[\w.-]+\.[a-z]+(/\S*[\w/])?'
)
LINK = re.compile(r'\[[^\]]*\]\(([^)\s]*)\)')
OURS = 'spacecraft_attitude_sim'
# A word of a command that the reader replaces: NAME, BAG_OR_CSV, sat1=FILE.
PLACEHOLDER = re.compile(r'\b[A-Z][A-Z_]+\b')


def blocks(page, language):
    """Return the fenced blocks of a page in a language."""
    return [text for _, kind, text in FENCE.findall(PAGES[page].read_text()) if kind == language]


def commands(page):
    """Return the argument lists of `attitude-sim` in the indented blocks of a page."""
    text = FENCE.sub('', PAGES[page].read_text()).replace('\\\n', ' ')
    lines = [line.strip() for line in text.splitlines() if line.startswith('    ')]
    found = []
    for line in lines:
        for part in re.split(r' &&? ', line):
            part = part.removeprefix('.venv/bin/')
            if part.startswith('attitude-sim ') and '…' not in part:
                found.append(shlex.split(part, comments=True)[1:])
    return found


def anchors(path):
    """Return the anchors of a page's headings as a forge makes them."""
    found = []
    for title in re.findall(r'^#+ (.*)$', FENCE.sub('', path.read_text()), re.M):
        title = re.sub(r'\[([^\]]*)\]\([^)]*\)', r'\1', title)
        slug = re.sub(r'[^\w\- ]', '', title.lower()).replace(' ', '-')
        again = found.count(slug)
        found.append(f'{slug}-{again}' if again else slug)
    return set(found)


@pytest.mark.parametrize('page', PAGES)
def test_links_lead_to_files_and_anchors_to_headings(page):
    path = PAGES[page]
    for target in LINK.findall(FENCE.sub('', path.read_text())):
        name, _, anchor = target.partition('#')
        if ':' in target:
            assert OUTSIDE.fullmatch(target), f'{page}: {target}'
            continue
        there = (path.parent / name).resolve() if name else path
        assert there.exists(), f'{page}: {target}'
        assert not anchor or anchor in anchors(there), f'{page}: {target}'


@pytest.mark.parametrize('page', [page for page in PAGES if commands(page)])
def test_every_command_of_a_page_is_understood(page):
    """Options are known, scenarios are shipped, parameters have these names and ranges."""
    for words in commands(page):
        words, _ = cli._split_ros_arguments(words)
        given = cli._parser(words[:1]).parse_args(words)
        names = getattr(given, 'scenario', None) or []
        names = [names] if isinstance(names, str) else names
        ours = all(known(name) for name in names)
        if words[0] == 'run' and ours:
            paths = [ROOT / name if '/' in name else scenario.find(name) for name in names]
            changes = list(run_command._parameters_given(given))
            for member in formation.agreed(formation.complete(paths), changes):
                scenario.of_sections(member.sections, page)


def known(name):
    """Return whether a scenario is one of ours, which must be there, and not the reader's."""
    if PLACEHOLDER.search(name) or name.endswith('.yaml') and '/' not in name:
        return False
    if '/' in name:
        assert (ROOT / name).exists(), name
    else:
        assert name in scenario.shipped() | scenario.shipped_formations(), name
    return True


def test_my_law_points_unloads_and_flies_a_campaign(tmp_path, monkeypatch, capsys, request):
    law, fly, many = blocks('my_law.md', 'python')
    (spacecraft,) = blocks('my_law.md', 'yaml')
    many = many.replace("'runs': 200", "'runs': 3").replace('120.0', '60.0')
    files = {'six_u.yaml': spacecraft, 'my_law.py': law, 'fly.py': fly, 'many.py': many}
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    request.addfinalizer(lambda: sys.modules.pop('my_law', None))
    said = []
    for name in ('fly.py', 'many.py'):
        runpy.run_path(name, run_name='__main__')
        said += [
            [float(word) for word in re.findall(r'-?\d[\d.e+-]*', line)]
            for line in capsys.readouterr().out.splitlines()
        ]
    (first, later, last), speeds, (median, most, _) = said
    assert first > 9.0 and max(later, last) < 0.1
    assert max(map(abs, speeds)) < 130.0  # of 150 at the start
    assert median <= most < 2.0
    assert (tmp_path / 'output' / 'my_law.png').exists()


@pytest.mark.parametrize('page', [page for page in PAGES if blocks(page, 'python')])
def test_python_of_a_page_names_what_there_is(page):
    for text in blocks(page, 'python'):
        check_imports(text, page)


def test_benchmarks_import_what_there_is():
    """`bench/mission.py` once failed, because a function had moved."""
    for path in (ROOT / 'bench').glob('*.py'):
        check_imports(path.read_text(), path.name)


def check_imports(text, source):
    """Raise AssertionError for a name of ours that a program imports and that is not there."""
    for part in ast.walk(ast.parse(text, source)):
        if isinstance(part, ast.ImportFrom) and (part.module or '').startswith(OURS):
            module = importlib.import_module(part.module)
            for name in part.names:
                inside = f'{part.module}.{name.name}'
                assert hasattr(module, name.name) or find_spec(inside), f'{source}: {inside}'


@pytest.mark.parametrize('page', [page for page in PAGES if blocks(page, 'yaml')])
def test_yaml_of_a_page_is_yaml(page):
    for text in blocks(page, 'yaml'):
        assert isinstance(yaml.safe_load(text), dict)


def test_6u_of_the_page_is_what_check_says_and_points(tmp_path, monkeypatch, capsys):
    """What the page shows is printed; the controller has the body's inertia, and settles."""
    (text,), (program,) = blocks('my_cubesat.md', 'yaml'), blocks('my_cubesat.md', 'python')
    monkeypatch.chdir(tmp_path)
    path = tmp_path / 'six_u.yaml'
    path.write_text(text)
    said = called('check', path)
    assert said.returncode == 0, said.stderr
    shown = PAGES['my_cubesat.md'].read_text().partition('Look for these lines:\n\n')[2]
    shown = shown.partition('\n\n')[0].splitlines()
    assert len(shown) == 3
    for line in shown:
        assert line.strip() in said.stdout
    found = scenario.load(path)
    believed = found.controller['inertia'][:3]
    assert believed == pytest.approx(np.diag(found.plant.body.inertia).tolist(), rel=1e-3)
    # It settles to 2 % of 90 degrees in 39 s, as the page says of the whole flight.
    names = {}
    capsys.readouterr()
    exec(program.replace("'six_u.yaml'", "'six_u.yaml', 45.0"), names)
    errors = np.degrees(names['run'].error)
    assert capsys.readouterr().out == f'{errors[-1]:.3f} deg\n'
    assert (tmp_path / 'output' / 'six_u_python.png').exists()
    assert errors[0] == pytest.approx(90.0, abs=0.5)
    assert errors[-20:].max() < 1.8 < errors[370]


def test_python_of_the_environment_prints_a_field_of_a_low_orbit(capsys):
    (program,) = blocks('environment.md', 'python')
    exec(program, {})
    field = np.array(capsys.readouterr().out.strip('[]\n').split(), dtype=float)
    assert field.shape == (3,) and 1.5e-5 < np.linalg.norm(field) < 7e-5  # T


def test_thousand_runs_of_the_page_are_a_campaign(tmp_path):
    path = tmp_path / 'thousand.yaml'
    path.write_text(next(text for text in blocks('how_to.md', 'yaml') if 'runs:' in text))
    assert campaign.load(path).runs == 1000


def test_mrps_of_the_page_are_those_of_scipy():
    """SciPy's Rotation, body to world, has the parameters that Basilisk calls sigma_BN."""
    names = {}
    (text,) = blocks('from_basilisk.md', 'python')
    exec(text, names)
    for turn in Rotation.random(20, np.random.default_rng(1)):
        q_WB = np.roll(turn.as_quat(canonical=True), 1)
        sigma = names['sigma_BN_of'](q_WB)
        assert sigma == pytest.approx(turn.as_mrp(), abs=1e-15)
        assert names['q_WB_of'](sigma) == pytest.approx(q_WB, abs=1e-15)
        matrix = rotations.dcm_from_quaternion(q_WB)  # W from B; Basilisk's [BN] is its transpose
        assert matrix == pytest.approx(turn.as_matrix(), abs=1e-15)


def test_python_of_the_answers_runs(capsys, tmp_path, monkeypatch):
    """One rate is drawn, a run stops at its event, an own inertia keeps its L."""
    monkeypatch.chdir(tmp_path)
    draw, stop, own, fast = blocks('how_to.md', 'python')
    exec(draw, {})
    assert (tmp_path / 'output' / 'omega.png').exists()
    capsys.readouterr()
    names = {}
    exec(stop, names)
    assert 1.0 < names['craft'].time < 119.0
    assert f'after {names["craft"].time:.1f} s' in capsys.readouterr().out
    assert np.linalg.norm(names['craft'].readings.angular_velocity) < 0.01
    exec(own, names)
    run, moments = names['run'], np.array((0.02, 0.05, 0.06))
    L = moments * (0.01, 0.5, 0.0)
    assert run.angular_momentum[-1] == pytest.approx(L, abs=1e-16)
    turned = rotations.rotate(rotations.conjugate(run.attitude[-1]), L)
    assert turned / moments == pytest.approx(run.angular_velocity[-1], abs=1e-14)
    exec(fast, names)
    assert names['run'].scenario.plant.accuracy == 1e-9


def test_law_of_the_page_in_cpp_compiles(tmp_path):
    """There are headers of messages, none of rclcpp: so the function without its node."""
    messages = Path(sys.prefix, 'include')
    if not shutil.which('g++') or not (messages / 'sensor_msgs').exists():
        pytest.skip('needs g++ and the messages of ROS from wheels')
    (text,) = blocks('my_controller.md', 'cpp')
    path = tmp_path / 'law.cpp'
    path.write_text(text.partition('class MyController')[0].replace('#include "rclcpp/', '//'))
    include = [f'-I{folder}' for folder in messages.iterdir()]
    command = ['g++', '-std=c++17', '-Wall', '-Werror', '-fsyntax-only', *include, path]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr


def packages_in_cpp():
    """Return package.xml and CMakeLists.txt of the page, and those of the folder beat_it."""
    of_page = [blocks('my_controller.md', kind)[0] for kind in ('xml', 'cmake')]
    folder = ROOT / 'examples' / 'beat_it'
    return of_page, [(folder / name).read_text() for name in ('package.xml', 'CMakeLists.txt')]


@pytest.mark.parametrize(('xml', 'cmake'), packages_in_cpp(), ids=['my_controller', 'beat_it'])
def test_package_in_cpp_depends_on_what_its_build_finds(xml, cmake):
    package = ElementTree.fromstring(xml)
    assert package.find('name').text in re.search(r'project\((\w+)\)', cmake)[1]
    needs = {one.text for one in package if one.tag in ('depend', 'buildtool_depend')}
    assert needs == {*re.findall(r'find_package\((\w+) REQUIRED', cmake)}
    assert package.find('export/build_type').text == 'ament_cmake'
    ours = ElementTree.parse(ROOT / 'package.xml').getroot()
    assert package.find('exec_depend').text == ours.find('name').text


@pytest.fixture(scope='module')
def site(tmp_path_factory):
    """The site, built as `make docs` does: a warning fails."""
    if not find_spec('sphinx'):
        pytest.skip('Sphinx is not installed: the extra docs')
    folder = tmp_path_factory.mktemp('site')
    done = subprocess.run(
        [sys.executable, '-m', 'sphinx', '-q', '-W', '--keep-going']
        + ['-c', ROOT / 'docs', ROOT, folder],
        capture_output=True, text=True, timeout=1200,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return folder


def test_site_has_every_page_and_its_generated_parts(site):
    for path in PAGES.values():
        assert (site / path.relative_to(ROOT)).with_suffix('.html').exists(), path
    assert 'README.html' in (site / 'index.html').read_text()
    api = (site / 'docs' / 'api.html').read_text()
    assert all(f'id="{OURS}.{name}"' in api for name in spacecraft_attitude_sim.__all__)
    assert 'id="spacecraft_attitude_sim.nodes.ros.synchroniser.TickSynchroniser"' in api
    assert '--resimulate' in (site / 'docs' / 'commands.html').read_text()


def test_site_has_the_notebooks_with_the_figures_that_they_draw(site):
    """Sphinx runs them in IPython's kernel: an error or a claim that fails ends the build."""
    for path in NOTEBOOKS:
        cells = json.loads(path.read_text())['cells']
        assert any('assert ' in line for cell in cells for line in cell['source'])
        # Shipped without results: the reader makes them, and a difference of versions is none.
        assert not any(cell.get('outputs') for cell in cells)
        drawn_by = ('.plot(', '.poinsot(')
        texts = [''.join(cell['source']) for cell in cells]
        plots = sum(any(word in text for word in drawn_by) for text in texts)
        page = (site / 'examples' / 'notebooks' / path.name).with_suffix('.html').read_text()
        drawn = re.findall(r'<img[^>]*src="([^"]*\.png)"', page)
        assert len(drawn) == plots >= 1, path
        for name in drawn:
            assert np.std(Image.open(site / 'examples' / 'notebooks' / name).convert('L')) > 10.0
        assert '&lt;Figure' not in page
        assert ' left\n' not in page and 'so far' not in page  # of progress nothing stays


# Questions in a user's words, and the page or heading that must be found first.
FOUND_FIRST = {
    'how do I add a wheel': 'docs/how_to#how-do-i-add-a-wheel',
    'why is my command refused': 'docs/how_to#why-is-my-command-refused',
    'what is q_WB': 'docs/how_to#what-is-q-wb',
    'quaternion order': 'docs/how_to#what-is-q-wb',
    'how do I plot only omega': 'docs/how_to#how-do-i-plot-only',
    'how do I run 1000 runs': 'docs/how_to#how-do-i-run-1000-runs',
    'monte carlo': 'docs/how_to#how-do-i-run-1000-runs',
    'how do I stop at an event': 'docs/how_to#how-do-i-stop-at-an-event',
    'units of noise': 'docs/how_to#what-are-the-units-of-the-noise',
    'start from Python with my inertia': 'docs/how_to#how-do-i-start-from-python',
    'why is a sensor silent': 'docs/how_to#how-do-i-see-why-a-sensor-is-silent',
    'how do I empty the cache': 'docs/how_to#where-is-the-cache',
    'gyro bias': 'docs/how_to#how-do-i-give-the-gyro',
    'J2': 'docs/how_to#how-do-i-add-an-orbit-with-j2',
    'why does the racket flip': 'docs/why_racket',
    'how do I write my own controller': 'docs/my_controller',
    'install': 'docs/install',
    'star tracker': 'docs/sensors#star-tracker',
    'reaction wheel friction': 'docs/spacecraft#reaction-wheels',
    'lockstep': 'docs/control#lockstep',
    'basilisk': 'docs/from_basilisk',
}


def test_search_of_the_site_finds_what_answers_first(site):
    if not shutil.which('node'):
        pytest.skip('node is not installed')
    script = Path(__file__).with_name('search_site.js')
    found = printed('node', script, site, *FOUND_FIRST).splitlines()
    for (question, wanted), first in zip(FOUND_FIRST.items(), found, strict=True):
        assert first.startswith(wanted), question


def test_site_needs_no_network(site):
    """Search, styles and fonts come from the folder itself."""
    assert 'resimul' in (site / 'searchindex.js').read_text()
    loads = re.compile(
        r'<(?:script|img|iframe)[^>]*src="(?:https?:)?//|<link[^>]*href="(?:https?:)?//'
    )
    for page in site.rglob('*.html'):
        assert not loads.search(page.read_text()), page
    for style in site.rglob('*.css'):
        assert not re.search(r'(@import|url\()\s*["\']?(https?:)?//', style.read_text()), style
