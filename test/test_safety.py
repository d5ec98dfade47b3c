# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""What protects from strangers' files and texts, and what a start and an interrupt do."""

import argparse
import errno
import importlib.util
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from processes import called

from spacecraft_attitude_sim import __version__, cli, start
from spacecraft_attitude_sim.configuration import discovery, trust
from spacecraft_attitude_sim.recording.errors import CampaignError, RecordingError
from spacecraft_attitude_sim.safety import child, current_folder, interrupts, quoting
from spacecraft_attitude_sim.subcommands import run, scenarios
from spacecraft_attitude_sim.subcommands.parser import Parser

LEAVES = """
import ctypes, json, sys
def told():
    number = ctypes.c_int()
    ctypes.CDLL(None).prctl(2, ctypes.byref(number))  # PR_GET_PDEATHSIG
    print(json.dumps([sys.argv[1:], sys.path, number.value]))
"""


def test_a_child_finds_what_we_find_and_ends_with_us(tmp_path, monkeypatch):
    """Never what is in the current folder, which an empty entry stands for."""
    (tmp_path / 'leaves.py').write_text(LEAVES)
    monkeypatch.setattr(sys, 'path', ['', str(tmp_path), *sys.path])
    command = child.command('leaves', 'told', 'a', '--b')
    done = subprocess.run(
        command, preexec_fn=child.end_with_parent, capture_output=True, text=True, check=True
    )
    arguments, path, number = json.loads(done.stdout)
    assert arguments == ['a', '--b'] and number == signal.SIGTERM
    assert path == [entry for entry in sys.path if entry]


def test_a_file_of_the_current_folder_is_hidden_for_a_while(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    exists = os.path.exists
    for name in ('settings', 'other'):
        (tmp_path / name).touch()
    with current_folder.without('settings'):
        assert not os.path.exists('settings') and not os.path.exists(str(tmp_path / 'settings'))
        assert os.path.exists('other') and not os.path.exists('nowhere')
    assert os.path.exists is exists and os.path.exists('settings')
    folder = tmp_path / 'gone'
    folder.mkdir()
    os.chdir(folder)
    folder.rmdir()
    with current_folder.without('settings'):
        assert not os.path.exists('settings')


@pytest.mark.parametrize('length', [quoting.LONGEST_QUOTE, quoting.LONGEST_QUOTE + 1])
def test_a_long_text_is_quoted_to_its_first_characters(length):
    text = '\n' * 10 + 'x' * (length - 10)
    if length == quoting.LONGEST_QUOTE:
        assert quoting.quoted(text) == repr(text)
    else:
        assert quoting.quoted(text) == f'{text[:-1]!r}… ({length} characters)'


def test_a_text_is_cut_to_one_line():
    text = 'ab ' * (quoting.LONGEST_TEXT // 3) + 'c'
    assert len(text) == quoting.LONGEST_TEXT
    assert quoting.cut(f' {text}\n') == text
    assert quoting.cut(f'{text}\nd') == f'{text}… ({len(text) + 2} characters)'


def test_an_error_is_one_line_of_short_words():
    word = 'w' * quoting.LONGEST_WORD
    error = quoting.OneLineError(f'a\r\nb {word[1:]} {word} c')
    begun = word[: quoting.LONGEST_QUOTE]
    assert str(error) == f'a\\r\\nb {word[1:]} {begun}… ({len(word)} characters) c'


def test_an_interrupt_ends_an_import_at_once_and_raises_elsewhere(tmp_path, monkeypatch):
    """Within an import many libraries would make something else of a KeyboardInterrupt."""
    ended = []
    monkeypatch.setattr(interrupts, 'end_at_once', lambda: ended.append(True))
    handler = signal.getsignal(signal.SIGINT)
    try:
        for before in (signal.SIG_IGN, signal.default_int_handler):
            signal.signal(signal.SIGINT, before)
            interrupts.take()
            assert (signal.getsignal(signal.SIGINT) is before) == (before == signal.SIG_IGN)
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        assert not ended
        (tmp_path / 'interrupted.py').write_text(
            'import signal\ntry:\n    signal.raise_signal(signal.SIGINT)\n'
            'except KeyboardInterrupt:\n    pass\n'
        )
        place = importlib.util.spec_from_file_location('interrupted', tmp_path / 'interrupted.py')
        place.loader.exec_module(importlib.util.module_from_spec(place))
        assert ended == [True]
    finally:
        signal.signal(signal.SIGINT, handler)
    assert not interrupts.importing(None) and not interrupts.importing(sys._getframe())


def test_an_end_at_once_says_one_line_and_has_the_status_of_a_shell(monkeypatch):
    done = []
    monkeypatch.setattr(os, 'write', lambda *given: done.append(given))
    monkeypatch.setattr(os, '_exit', done.append)
    interrupts.end_at_once()
    assert done == [(2, b'attitude-sim: interrupted\n'), 130]


@pytest.mark.parametrize(
    ('given', 'path', 'left'),
    [
        (None, ['', 'HERE', 'a'], (None, ['', 'HERE', 'a'])),
        ('/b', ['', 'HERE', 'a'], ('/b', ['', 'HERE', 'a'])),
        ('/b:', ['', 'HERE', 'a'], ('/b', ['a'])),
        (':/b::/c', ['HERE', 'a', ''], ('/b:/c', ['a'])),
        (':.:/b', ['', 'HERE', 'a'], ('.:/b', ['', 'HERE', 'a'])),  # named by itself, too
    ],
)
def test_an_empty_entry_of_pythonpath_is_not_the_current_folder(
    tmp_path, monkeypatch, given, path, left
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, 'path', [entry.replace('HERE', str(tmp_path)) for entry in path])
    monkeypatch.delenv('PYTHONPATH', raising=False)
    if given is not None:
        monkeypatch.setenv('PYTHONPATH', given)
    start._forget_current_folder()
    found = [entry.replace(str(tmp_path), 'HERE') for entry in sys.path]
    assert (os.environ.get('PYTHONPATH'), found) == left


@pytest.mark.parametrize('profiles', [None, '0'])
def test_a_start_reads_no_profile_of_the_current_folder_unless_asked(monkeypatch, profiles):
    ended = []
    monkeypatch.setattr(interrupts, 'take', lambda: ended.append('taken'))
    monkeypatch.setattr(interrupts, 'end_at_once', lambda: ended.append('at once'))
    monkeypatch.setattr(start.faulthandler, 'enable', lambda: ended.append('faults'))
    monkeypatch.setattr(start.atexit, 'register', lambda last: ended.append(last.__name__))
    monkeypatch.setenv('PYTHONPATH', '/b:')
    monkeypatch.setattr(sys, 'path', ['', *sys.path])
    monkeypatch.setenv('SKIP_DEFAULT_XML_FILE', '0')
    if profiles is None:
        monkeypatch.delenv('SKIP_DEFAULT_XML_FILE')

    def interrupted():
        ended.append(os.environ['SKIP_DEFAULT_XML_FILE'])
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, 'main', interrupted)
    start.main()
    assert sorted(ended) == sorted(['taken', 'faults', 'freeze', profiles or '1', 'at once'])
    assert ended[0] == 'taken' and '' not in sys.path


def of_library(name):
    """Return a function that raises an error as a library of that name would."""
    return eval('lambda: {}["key"]', {'__name__': f'{name}.below'})


def refuse(error):
    """Return a function that raises an error."""

    def command(*_):
        raise error

    return command


LONG = 'w ' * cli.LONGEST_MESSAGE
WHOLE = 'a' + LONG[: cli.LONGEST_MESSAGE - 1]  # as long as may be


@pytest.mark.parametrize(
    ('error', 'said', 'status'),
    [
        (CampaignError('no\nrun'), 'no\\nrun', 2),
        (RecordingError('no  bag'), 'no bag', 2),
        (OSError(errno.ENOSPC, 'No space', 'a.csv'),
         'a.csv: No space: what was being written is not whole; free some space', 2),
        (OSError(errno.EDQUOT, 'Quota'),
         'Quota: what was being written is not whole; free some space', 2),
        (OSError(errno.EACCES, 'Denied', 'a.csv'), 'a.csv: Denied', 2),
        (OSError('odd'), 'odd', 2),
        (MemoryError(), 'memory is used up; give a shorter run or a smaller file', 2),
        (ModuleNotFoundError('x', name='rclpy.node'),
         f'this needs rclpy, which is not installed: {cli.ROS_REMEDY}', 2),
        (KeyboardInterrupt(), 'interrupted', 130),
        (RecordingError(WHOLE), WHOLE, 2),
        (RecordingError('a' + LONG + 'b'),
         f'a{LONG[: cli.LONGEST_MESSAGE // 2 - 1]} … {LONG[1 - cli.LONGEST_MESSAGE // 2 :]}b', 2),
    ],
)  # fmt: skip
def test_what_goes_wrong_is_one_line_and_a_status(monkeypatch, error, said, status):
    monkeypatch.setattr(scenarios, 'list_scenarios', refuse(error))
    done = called('scenarios')
    assert (done.stderr, done.returncode) == (f'attitude-sim: {said}\n', status)


@pytest.mark.parametrize('debug', [False, True])
def test_an_error_of_a_library_that_reads_files_is_one_line_unless_asked(monkeypatch, debug):
    monkeypatch.setenv(cli.DEBUG, '1')
    if not debug:
        monkeypatch.delenv(cli.DEBUG)
    monkeypatch.setattr(scenarios, 'list_scenarios', lambda *_: of_library('yaml')())
    if debug:
        with pytest.raises(KeyError):
            called('scenarios')
    else:
        said = "attitude-sim: yaml failed: KeyError: 'key' (ATTITUDE_SIM_DEBUG=1 shows where)\n"
        assert called('scenarios').stderr == said
    missing = refuse(ModuleNotFoundError('x')), refuse(ModuleNotFoundError('x', name='numpy'))
    for unknown in (of_library('ours'), *missing):
        monkeypatch.setattr(scenarios, 'list_scenarios', lambda *_, raised=unknown: raised())
        with pytest.raises((KeyError, ModuleNotFoundError)):
            called('scenarios')


@pytest.mark.parametrize('gone', [False, True])
def test_a_reader_that_has_gone_is_no_error(monkeypatch, capfd, gone):
    """As `| head`; a pipe of something else is one."""
    monkeypatch.setattr(
        scenarios, 'list_scenarios', refuse(BrokenPipeError(errno.EPIPE, 'Broken'))
    )
    read, write = os.pipe()
    with os.fdopen(write, 'w') as output:
        if gone:
            os.close(read)
        monkeypatch.setattr(sys, 'stdout', output)
        with pytest.raises(SystemExit) as end:
            cli.main(['scenarios'])
        assert end.value.code == (128 + signal.SIGPIPE if gone else 2)
        # What is still to be written goes nowhere, and so does not fail.
        nowhere = os.path.samestat(os.fstat(output.fileno()), os.stat(os.devnull))
        assert nowhere == gone
    if not gone:
        os.close(read)
    assert capfd.readouterr().err == ('' if gone else 'attitude-sim: [Errno 32] Broken\n')


def test_arguments_of_ros_are_kept_apart_and_status_is_that_of_the_command(monkeypatch):
    given = []

    def command(options, ros_arguments):
        given.append(ros_arguments)
        return 7

    monkeypatch.setattr(scenarios, 'list_scenarios', command)
    assert called('scenarios', '--ros-args', '-p', 'a:=1').returncode == 7
    assert called('scenarios').returncode == 7
    assert given == [['--ros-args', '-p', 'a:=1'], []]


def test_version_is_told_and_a_command_is_needed():
    assert called('--version').stdout == f'{__version__}\n'
    done = called('--')
    assert done.returncode == 2 and 'COMMAND' in done.stderr
    assert called().returncode == 2 and 'usage: attitude-sim' in called().stdout


@pytest.mark.parametrize(('arguments', 'settings'), [([], 'LOCALHOST'), (['--network'], 'SUBNET')])
def test_a_command_is_started_with_its_network_and_trust(monkeypatch, arguments, settings):
    for name in (*discovery.DECIDED, trust.VARIABLE):
        monkeypatch.delenv(name, raising=False)
    found = []

    def command(options, ros_arguments):
        found.append((os.environ[discovery.RANGE], os.environ.get(trust.VARIABLE)))

    monkeypatch.setattr(run, 'run_scenario', command)
    called('run', 'tennis_racket', *arguments, '--trust', 'own_shapes')
    monkeypatch.setattr(scenarios, 'list_scenarios', command)
    called('scenarios')
    assert found == [(settings, 'own_shapes'), ('LOCALHOST', None)]


def test_one_command_is_made_or_all(monkeypatch):
    names = []
    monkeypatch.setattr(
        cli.importlib, 'import_module',
        lambda name: type('', (), {'add': lambda _: names.append(name.rpartition('.')[2])}),
    )  # fmt: skip
    assert isinstance(cli._parser(['warm-up']), Parser) and names == ['warm_up']
    names.clear()
    cli._parser(['nonsense'])
    assert [name.replace('_', '-') for name in names] == [*cli.SUBCOMMANDS]


# What several commands share; `cli` reads trust and network of the options that have them.
SHARED = ('checks', 'given_parameters', 'merit_options', 'one_spacecraft')
BY_CLI = {'help', 'trust', 'network'}


@pytest.mark.parametrize('command', cli.SUBCOMMANDS)
def test_every_option_of_a_command_is_read(command):
    """An option that nothing reads is taken and does nothing."""
    folder = Path(cli.__file__).parent
    files = [f'subcommands/{name}.py' for name in (command.replace('-', '_'), *SHARED)]
    text = ''.join((folder / name).read_text() for name in (*files, 'viewer/process.py'))
    (commands,) = (
        action for action in cli._parser([command])._actions
        if isinstance(action, argparse._SubParsersAction)
    )  # fmt: skip
    options = {action.dest for action in commands.choices[command]._actions} - BY_CLI
    assert {name for name in options if not re.search(rf'options\.{name}\b', text)} == set()
