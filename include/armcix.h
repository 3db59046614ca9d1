#include "armci/armcix.h"
