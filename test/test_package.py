# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The package builds with colcon, and what it installs starts."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT
from ros_helpers import process
from sensor_msgs.msg import Imu

from spacecraft_attitude_sim.configuration.share import PACKAGE, share_directory

COLCON = Path(sys.executable).with_name('colcon')


@pytest.fixture(scope='module')
def workspace(tmp_path_factory):
    """The checkout built by colcon; its install prefix."""
    if not COLCON.exists():
        pytest.skip('colcon is not installed beside this Python')
    folder = tmp_path_factory.mktemp('workspace')
    source = folder / 'src' / PACKAGE
    ignored = shutil.ignore_patterns('.venv', '.git', 'build', 'install', 'log', 'output')
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


def environment_of(workspace):
    (site,) = (workspace / 'lib').glob('python*/site-packages')
    return dict(os.environ, PYTHONPATH=str(site))


def test_built_simulator_starts_and_publishes(workspace, ros):
    heard = ros.listen(Imu, 'imu/data')
    simulator = workspace / 'lib' / PACKAGE / 'simulator'
    with process(str(simulator), env=environment_of(workspace)) as child:
        ros.until(lambda: len(heard) > 3)
        child.terminate()
        assert child.wait(timeout=10) == 0


@pytest.mark.parametrize(
    'executable',
    ['attitude-sim', 'simulator', 'contact', 'attitude_controller', 'markers', 'recorder']
    + ['formation'],
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
    if not relay.exists():
        pytest.skip('the package is not installed by pip (an editable or colcon install)')
    done = subprocess.run([relay, '--help'], capture_output=True, text=True, check=True)
    assert 'usage: attitude-sim node' in done.stdout
    assert share_directory() == prefix / 'share' / PACKAGE


def test_metadata_says_what_it_is_and_where_from():
    import xml.etree.ElementTree as ElementTree
    from importlib.metadata import metadata

    declared = ElementTree.parse(ROOT / 'package.xml')
    found = metadata(PACKAGE)
    assert found['Author'] == declared.findtext('author')
    assert found['Home-page'] == declared.findtext('url')
    assert found['Summary'].startswith('Spacecraft attitude simulation')
    assert found['Description-Content-Type'] == 'text/markdown'
    assert '## Close the loop' in str(found.get_payload() or found['Description'])
    assert 'Programming Language :: Python :: 3.13' in found.get_all('Classifier')
    # Names that rosdep knows: the Python half of tf2_ros is a package of its own.
    assert 'tf2_ros_py' in {element.text for element in declared.iter('exec_depend')}


def test_version_is_one(command):
    import xml.etree.ElementTree as ElementTree

    said = subprocess.run([command, '--version'], capture_output=True, text=True, check=True)
    declared = ElementTree.parse(ROOT / 'package.xml').findtext('version')
    assert said.stdout.strip() == declared
    assert f'## {declared}' in (ROOT / 'CHANGELOG.md').read_text()
