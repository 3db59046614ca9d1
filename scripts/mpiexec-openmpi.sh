#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Starts a job of the tests under Open MPI: as many ranks as wanted, however few the processors, and as
# root, too. Takes the arguments of mpiexec.
exec /usr/bin/mpirun.openmpi --oversubscribe --allow-run-as-root "$@"
