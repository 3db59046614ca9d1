# SPDX-License-Identifier: BSD-3-Clause
"""Importing this makes the modules of tests/errors known."""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(HERE, os.pardir, "errors"))
