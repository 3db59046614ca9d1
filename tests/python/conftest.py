# SPDX-License-Identifier: BSD-3-Clause
"""All ranks of a job run the same tests, and rank 0 reports. A failure on any rank ends the job."""

import gc
import sys

import pytest

import armci


@pytest.hookimpl(trylast=True)
def pytest_configure(config):
    armci.init()
    if armci.rank() > 0:
        reporter = config.pluginmanager.get_plugin("terminalreporter")
        config.pluginmanager.unregister(reporter)


def pytest_unconfigure(config):
    gc.collect()  # arrays that show blocks, in frames of exceptions
    armci.finalize()  # frees what tests have left; the end of Python warns of it


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    report = outcome.get_result()
    if report.failed and armci.is_initialized() and armci.size() > 1:
        # The other ranks wait for this one in the test's next collective call.
        print(
            f"\nrank {armci.rank()}, {item.nodeid}:\n{report.longreprtext}",
            file=sys.stderr,
            flush=True,
        )
        armci._core.abort_job("a test has failed", 1)


@pytest.fixture
def job():
    """The job, with all ranks at the beginning and the end of the test."""
    armci.sync()
    yield armci.init()
    armci.sync()
