#include "armci/armci.h"
