# SPDX-License-Identifier: BSD-3-Clause
"""A rank that ends alone ends the job, because the other ranks would wait for it for ever."""

from __future__ import annotations

import sys
import threading
from types import TracebackType
from typing import Any, NoReturn, Optional

from . import _core


class EndHooks:
    """Takes notice of exceptions that nobody catches, and of sys.exit, until it is removed."""

    def __init__(self) -> None:
        self._is_removed = False
        self._exit_status: object = None
        self._previous = (sys.excepthook, threading.excepthook, sys.exit)
        self._own = (self._on_exception, self._on_exception_in_thread, self._on_exit)
        sys.excepthook, threading.excepthook, sys.exit = self._own

    def remove(self) -> None:
        """Puts back what was there before, where nobody else has put a hook on top of it."""
        self._is_removed = True
        if sys.excepthook is self._own[0]:
            sys.excepthook = self._previous[0]
        if threading.excepthook is self._own[1]:
            threading.excepthook = self._previous[1]
        if sys.exit is self._own[2]:
            sys.exit = self._previous[2]

    def note_exit(self, status: object) -> None:
        """Remembers the status of a SystemExit; Python does not tell it at its end."""
        if threading.current_thread() is threading.main_thread():  # others only end themselves
            self._exit_status = status

    def check_exit(self) -> None:
        """At the end of Python: ends the job if the last SystemExit was that of a failure."""
        status = self._exit_status
        if status is None or status == 0:
            return
        # As Python does, which prints anything but a number, and ends with 1.
        code = int(status) if isinstance(status, int) and 0 < status < 256 else 1
        self._end_job(f"SystemExit({status!r}) ends this rank without armci.finalize()", code)

    def _on_exception(
        self, kind: type[BaseException], error: BaseException, trace: Optional[TracebackType]
    ) -> None:
        self._previous[0](kind, error, trace)
        self._end_job(f"nobody has caught {kind.__name__} (see above)")

    def _on_exception_in_thread(self, arguments: threading.ExceptHookArgs) -> None:
        self._previous[1](arguments)
        kind = arguments.exc_type
        if not issubclass(kind, SystemExit):  # which ends the thread only
            self._end_job(f"nobody has caught {kind.__name__} in a thread (see above)")

    def _on_exit(self, status: Any = None) -> NoReturn:
        self.note_exit(status)
        self._previous[2](status)

    def _end_job(self, reason: str, status: int = 1) -> None:
        if not self._is_removed and _core.is_up():
            sys.stdout.flush()
            sys.stderr.flush()
            _core.abort_job(f"Python: {reason}; the job ends", status)
