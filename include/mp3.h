/* SPDX-License-Identifier: BSD-3-Clause */
#include "armci/mp3.h"
