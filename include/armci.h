/* SPDX-License-Identifier: BSD-3-Clause */
#include "armci/armci.h"
