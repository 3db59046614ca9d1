# SPDX-License-Identifier: BSD-3-Clause
"""Operations that have been started and not waited for."""

from __future__ import annotations

from typing import Any, Generic, TypeVar

from . import _core

Result = TypeVar("Result")

# Operations whose futures are gone: their buffers stay until they are complete.
_abandoned: list[tuple[_core.Handle, Any]] = []


def drain(wait: bool = False) -> None:
    """Forgets abandoned operations that are complete; waits for the others if asked to."""
    for _ in range(len(_abandoned)):
        try:
            operation = _abandoned.pop(0)
        except IndexError:  # another thread has taken the last one
            return
        if wait:
            operation[0].wait()
        if not operation[0].test():
            _abandoned.append(operation)


class Future(Generic[Result]):
    """A transfer that goes on while the rank computes: from :meth:`Array.get_async` and others.

    The buffers of the transfer are kept alive. A future that is dropped loses nothing: its
    transfer is completed by the library.
    """

    def __init__(self, handle: _core.Handle, buffers: Any, result: Result) -> None:
        self._handle = handle
        self._buffers = buffers
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
            _abandoned.append((self._handle, self._buffers))
