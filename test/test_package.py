# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The package builds with colcon, and what it installs starts."""

import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from importlib.metadata import metadata, requires
from pathlib import Path

import pytest
from conftest import ROOT
from packaging.requirements import Requirement
from ros_helpers import PATIENCE, process
from sensor_msgs.msg import Imu

from spacecraft_attitude_sim import cli
from spacecraft_attitude_sim.configuration.share import PACKAGE, share_directory

COLCON = Path(sys.executable).with_name('colcon')


@pytest.fixture(scope='module')
def workspace(tmp_path_factory):
    """The checkout built by colcon; its install prefix."""
    if not COLCON.exists():
        pytest.skip('colcon is not installed beside this Python')
    folder = tmp_path_factory.mktemp('workspace')
    source = folder / 'src' / PACKAGE
    ignored = shutil.ignore_patterns('.venv', '.git', 'build', 'install', 'log', 'output', 'site')
    shutil.copytree(ROOT, source, ignore=ignored)
    environment = dict(os.environ, PATH=f'{COLCON.parent}:{os.environ["PATH"]}')
    subprocess.run([COLCON, 'build'], cwd=folder, env=environment, check=True, timeout=300)
    return folder / 'install' / PACKAGE


def test_what_ros_looks_for_is_where_it_looks(workspace):
    share = workspace / 'share'
    assert (share / 'ament_index' / 'resource_index' / 'packages' / PACKAGE).exists()
    assert (share / PACKAGE / 'launch' / 'simulation.launch.py').exists()
    assert (share / PACKAGE / 'config' / 'view.rviz').exists()
    assert (share / PACKAGE / 'config' / 'scenarios' / 'tennis_racket.yaml').exists()
    for name in ('config/examination/unloading.yaml', 'examples/examination/plain_pd.py'):
        assert (share / PACKAGE / name).exists()


def environment_of(workspace):
    (site,) = (workspace / 'lib').glob('python*/site-packages')
    return dict(os.environ, PYTHONPATH=str(site))


def test_built_simulator_starts_and_publishes(workspace, ros):
    heard = ros.listen(Imu, 'imu/data')
    simulator = workspace / 'lib' / PACKAGE / 'simulator'
    with process(str(simulator), env=environment_of(workspace)) as child:
        ros.until(lambda: len(heard) > 3)
        child.terminate()
        assert child.wait(timeout=PATIENCE) == 0


@pytest.mark.parametrize(
    'executable',
    ['attitude-sim', 'simulator', 'contact', 'attitude_controller', 'markers', 'recorder']
    + ['attitude_estimator', 'attitude_guidance', 'mission_modes', 'formation'],
)
def test_built_executable_is_ours(workspace, domain, executable):
    path = workspace / 'lib' / PACKAGE / executable
    assert os.access(path, os.X_OK)
    if executable == 'attitude-sim':
        listed = subprocess.run(
            [path, 'scenarios'],
            env=environment_of(workspace),
            capture_output=True,
            text=True,
            check=True,
        )
        assert 'tennis_racket' in listed.stdout


def test_pip_installs_the_executables_ros2_run_looks_for(command):
    """Beside bin/attitude-sim there is lib/<package>/simulator, which relays to it."""
    prefix = Path(command).parent.parent
    relay = prefix / 'lib' / PACKAGE / 'simulator'
    if not relay.exists() or prefix not in Path(cli.__file__).parents:
        pytest.skip('we do not use the package that pip installed (editable, colcon, PYTHONPATH)')
    done = subprocess.run([relay, '--help'], capture_output=True, text=True, check=True)
    assert 'usage: attitude-sim node' in done.stdout
    assert share_directory() == prefix / 'share' / PACKAGE


def manifest():
    """Return the root element of package.xml."""
    return ElementTree.parse(ROOT / 'package.xml').getroot()


def test_metadata_says_what_it_is_and_where_from():
    declared = manifest()
    found = metadata(PACKAGE)
    for key, tag in (('Author', 'author'), ('Maintainer', 'maintainer')):
        assert found[key] == declared.findtext(tag)
        assert found[f'{key}-email'] == declared.find(tag).get('email')
    assert found['Home-page'] == declared.findtext('url')
    assert found['Summary'] == declared.findtext('description')
    assert found['License'] == declared.findtext('license') == 'Apache-2.0'
    assert found['Description-Content-Type'] == 'text/markdown'
    assert '## Close the loop' in str(found.get_payload() or found['Description'])
    assert 'Programming Language :: Python :: 3.13' in found.get_all('Classifier')
    # Names that rosdep knows: the Python half of tf2_ros is a package of its own.
    assert 'tf2_ros_py' in {element.text for element in declared.iter('exec_depend')}


def test_table_of_extras_is_what_they_bring():
    page = (ROOT / 'docs' / 'install.md').read_text()
    rows = dict(re.findall(r'^\| `(\w+)` \|[^|]*\| ([^|]*) \|', page, re.M))
    declared = {extra: set() for extra in metadata(PACKAGE).get_all('Provides-Extra')}
    for needed in map(Requirement, requires(PACKAGE)):
        for extra, names in declared.items():
            with_it = {'extra': extra, 'python_version': '3.12'}
            if needed.marker and needed.marker.evaluate(with_it):
                names.add(needed.name)
    assert rows.keys() == declared.keys()
    for extra in rows.keys() - {'ros', 'test'}:
        assert set(rows[extra].split(', ')) == declared[extra], extra


# What installs a requirement of setup.py beside rosdep: another key, or a command of README.md.
BROUGHT_BY = {
    'pillow': 'python3-pil',
    'pyerfa': 'python3-astropy',
    'rosbags': 'pip install rosbags ruamel.yaml.clib',
    'ruamel.yaml.clib': 'pip install rosbags ruamel.yaml.clib',
    'sgp4': 'sudo apt install python3-sgp4',
}


def test_rosdep_knows_every_key_and_what_it_does_not_bring_the_readme_names():
    keys = {one.text for one in manifest() if one.tag.endswith('depend')}
    lines = (ROOT / 'test' / 'data' / 'rosdep_keys.txt').read_text().splitlines()
    assert keys <= set(lines)
    readme = (ROOT / 'README.md').read_text()
    required = [line for line in requires(PACKAGE) if 'extra' not in line]
    names = {re.match(r'[\w.-]+', line)[0].lower() for line in required}
    assert 'sgp4' in names
    for name in names - {'setuptools'}:  # that colcon itself needs
        source = BROUGHT_BY.get(name, f'python3-{name.removeprefix("py")}')
        assert source in keys or f'`{source}`' in readme, name


def test_version_is_one(command):
    said = subprocess.run([command, '--version'], capture_output=True, text=True, check=True)
    declared = manifest().findtext('version')
    assert said.stdout.strip() == declared
    assert f'## {declared}' in (ROOT / 'CHANGELOG.md').read_text()
