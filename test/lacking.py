# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Take from a Python process on Linux what Python lacks on Windows; and from processes it starts.

What the standard library itself needs here, such as SIGKILL, stays: KEPT names it.
"""

import os
import select
import signal
import sys

MODULES = ('fcntl', 'grp', 'pty', 'pwd', 'readline', 'resource', 'syslog', 'termios', 'tty')
NAMES = {
    os: (
        'O_DIRECTORY', 'O_DSYNC', 'O_NOCTTY', 'O_NOFOLLOW', 'O_NONBLOCK', 'O_SYNC', 'chown',
        'chroot', 'ctermid', 'fchdir', 'fchmod', 'fchown', 'fdatasync', 'fork', 'forkpty',
        'fpathconf', 'getegid', 'geteuid', 'getgid', 'getgroups', 'getloadavg', 'getpgid',
        'getpgrp', 'getpriority', 'getresuid', 'getsid', 'getuid', 'killpg', 'lchown', 'lockf',
        'mkfifo', 'mknod', 'nice', 'openpty', 'pathconf', 'pipe2', 'posix_fadvise',
        'posix_fallocate', 'posix_spawn', 'pread', 'preadv', 'pwrite', 'pwritev', 'readv',
        'register_at_fork', 'sched_getaffinity', 'sched_setaffinity', 'sched_yield',
        'set_blocking', 'setegid', 'seteuid', 'setgid', 'setpgid', 'setpriority', 'setsid',
        'setuid', 'statvfs', 'sync', 'sysconf', 'tcgetpgrp', 'ttyname', 'wait', 'wait3', 'wait4',
        'writev',
    ),
    select: ('poll', 'epoll'),
    signal: (
        'SIGALRM', 'SIGCHLD', 'SIGCONT', 'SIGHUP', 'SIGPIPE', 'SIGQUIT', 'SIGSTOP',
        'SIGUSR1', 'SIGUSR2', 'alarm', 'pause', 'pthread_kill', 'pthread_sigmask', 'setitimer',
        'siginterrupt', 'sigwait',
    ),
}  # fmt: skip
KEPT = {signal: ('SIGKILL',), os: ('WNOHANG', 'sendfile', 'waitid')}


def take():
    """Take it from this process, and let those that our modules start take it from themselves."""
    import multiprocessing
    import subprocess  # noqa: F401 (its own names of it stay)
    import threading  # noqa: F401

    for module, names in NAMES.items():
        for name in names:
            if hasattr(module, name):
                delattr(module, name)
    sys.modules.update(dict.fromkeys(MODULES))
    multiprocessing.set_start_method('spawn')
    from spacecraft_attitude_sim.safety import child

    child.START = 'import sys; ' + child.START.replace(
        'from {module}', 'import lacking; lacking.take(); from {module}'
    )
