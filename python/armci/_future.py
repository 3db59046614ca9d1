# SPDX-License-Identifier: BSD-3-Clause
"""Operations that have been started and not waited for."""

from __future__ import annotations

import threading
from typing import Any, Generic, Optional, TypeVar

from . import _core

Result = TypeVar("Result")

# Operations whose futures are gone: their buffers stay until they are complete.
_abandoned: dict[_core.Handle, Any] = {}
_draining = threading.RLock()  # a handle is tested by one thread at a time


def drain(wait: bool = False) -> None:
    """Forgets abandoned operations that are complete; waits for the others if asked to."""
    if not _abandoned:
        return
    with _draining:
        for handle in list(_abandoned):
            if wait:
                handle.wait()
            # This raises where the thread may not call: then the buffers stay.
            if handle.test():
                _abandoned.pop(handle, None)


class Future(Generic[Result]):
    """A transfer that goes on while the rank computes: from :meth:`Array.get_async` and others.

    The buffers of the transfer are kept alive. A future that is dropped loses nothing: its
    transfer is completed by the library.
    """

    # It is made before the transfer starts, so that no exception parts the two (handle_for).
    def __init__(self, result: Result) -> None:
        self._handle = _core.Handle()
        self._buffers: Any = None
        self._result = result
        self._is_done = False

    def done(self) -> bool:
        """Whether the transfer is locally complete. Does not wait."""
        if not self._is_done and self._handle.test():
            self._finish()
        return self._is_done

    def wait(self) -> None:
        """Waits for local completion: the array of a get is there, that of a put may be changed."""
        if not self._is_done:
            self._handle.wait()
            self._finish()

    def result(self) -> Result:
        """Waits, and returns what the blocking call would return."""
        self.wait()
        return self._result

    def _finish(self) -> None:
        self._is_done = True
        self._buffers = None

    def __del__(self) -> None:
        if not self._is_done:
            _abandoned[self._handle] = self._buffers


def handle_for(future: Optional[Future[Any]], buffers: Any) -> Optional[_core.Handle]:
    """The handle of a transfer whose buffers the future keeps; None for one that is waited for."""
    if future is None:
        return None
    future._buffers = buffers
    return future._handle
