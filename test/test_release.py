# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""What bloom, the build farm and PyPI read at a release; docs/release.md is its checklist."""

import re
import shutil

import pytest
from conftest import ROOT

pytest.importorskip('catkin_pkg')
from catkin_pkg.changelog import get_changelog_from_path
from catkin_pkg.package import parse_package
from catkin_pkg.package_version import get_forthcoming_label, rename_section, update_versions

PLACEHOLDER = re.compile(r'spacecraft[-_]attitude[-_]sim\.invalid')
COPYRIGHT = re.compile(r'# Copyright \d{4} The spacecraft_attitude_sim authors')
SOURCES = ('*.py', 'src/**/*.py', '[!.]*/*.py', 'scripts/*', '.ci/run')


def test_manifest_is_read_without_a_warning():
    warnings = []
    package = parse_package(str(ROOT), warnings=warnings)
    assert package.name == 'spacecraft_attitude_sim'
    assert warnings == []


def test_releases_are_those_of_the_changelog():
    """What is not released is in CHANGELOG.rst under Forthcoming, and nothing else is."""
    changes = (ROOT / 'CHANGELOG.md').read_text()
    headings = re.findall(r'^## (\d+\.\d+\.\d+) \((.*)\)$', changes, re.M)
    said = get_changelog_from_path(str(ROOT), 'spacecraft_attitude_sim')
    released = {version: date for version, date in headings if date != 'unreleased'}
    assert {v: f'{date:%Y-%m-%d}' for v, date, _ in said.foreach_version()} == released
    label = get_forthcoming_label((ROOT / 'CHANGELOG.rst').read_text())
    assert (label is not None) == (len(released) < len(headings))


def test_a_release_finds_the_numbers_it_has_to_change(tmp_path):
    for name in ('package.xml', 'setup.py'):
        shutil.copy(ROOT / name, tmp_path)
    update_versions({str(tmp_path): parse_package(str(tmp_path))}, '99.1.2')
    assert '<version>99.1.2</version>' in (tmp_path / 'package.xml').read_text()
    assert "version='99.1.2'," in (tmp_path / 'setup.py').read_text()


def test_what_bloom_takes_of_the_next_release_is_a_plain_list(tmp_path):
    changes = (ROOT / 'CHANGELOG.rst').read_text()
    label = get_forthcoming_label(changes)
    if label is None:
        pytest.skip('nothing is new since the last release')
    (tmp_path / 'CHANGELOG.rst').write_text(rename_section(changes, label, '99.1.2 (2026-12-31)'))
    found = get_changelog_from_path(str(tmp_path), 'spacecraft_attitude_sim')
    contents = [str(entry) for entry in found.get_content_of_version('99.1.2')]
    assert contents
    assert all(entry.startswith('* ') for entry in contents), contents


def test_the_source_archive_has_what_a_build_reads_and_no_half_of_the_tests():
    """As setuptools listed it when the package was installed from this checkout."""
    found = list(ROOT.glob('src/*.egg-info/SOURCES.txt'))
    if not found:
        pytest.skip('the package was not installed from this checkout')
    listed = found[0].read_text().splitlines()
    read = {'package.xml', 'README.md', 'LICENSE', 'CHANGELOG.rst', 'setup.py', 'setup.cfg'}
    assert {'resource/spacecraft_attitude_sim', 'scripts/simulator'} | read <= set(listed)
    assert 'config/scenarios/tennis_racket.yaml' in listed
    assert not [name for name in listed if name.startswith('test/')]


def test_what_only_the_owner_knows_is_in_one_file_and_in_the_checklist():
    checklist = (ROOT / 'docs' / 'release.md').read_text()
    lines = (ROOT / 'package.xml').read_text().splitlines()
    missing = [number for number, line in enumerate(lines, 1) if PLACEHOLDER.search(line)]
    assert [int(line) for line in re.findall(r'`package\.xml:(\d+)` \|', checklist)] == missing
    others = [*ROOT.glob('*.*'), *ROOT.glob('docs/*.md'), *ROOT.glob('src/**/*.py')]
    for path in others:
        if path.is_file() and path.name != 'package.xml':
            assert not PLACEHOLDER.search(path.read_text()), path


def test_every_source_says_whose_it_is_and_its_licence():
    sources = {path for pattern in SOURCES for path in ROOT.glob(pattern) if path.is_file()}
    assert len(sources) > 500
    for path in sources:
        head = path.read_text().split('\n', 3)[:3]
        assert '# SPDX-License-Identifier: Apache-2.0' in head, path
        assert any(COPYRIGHT.fullmatch(line) for line in head), path
