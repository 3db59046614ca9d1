# SPDX-License-Identifier: BSD-3-Clause
"""What a process does with signals stays what it is when libraries are loaded.

Debian's libfabric brings libinfinipath, which sets actions of its own for SIGINT, SIGTERM and others
as soon as it is loaded. Ctrl-C would then end Python at once, without a KeyboardInterrupt. Where another
package has loaded it before, an MPI's for example, its actions stay.
"""

from __future__ import annotations

import contextlib
import ctypes
import signal
from collections.abc import Iterator

_ACTION_BYTES = 512  # more than struct sigaction has on any system


@contextlib.contextmanager
def kept_actions() -> Iterator[None]:
    """Afterwards each signal has the action that it had before."""
    libc = ctypes.CDLL(None)
    actions = {}
    for number in range(1, signal.NSIG):
        action = ctypes.create_string_buffer(_ACTION_BYTES)
        if libc.sigaction(number, None, action) == 0:  # some are libc's own
            actions[number] = action
    try:
        yield
    finally:
        for number, action in actions.items():
            libc.sigaction(number, action, None)
