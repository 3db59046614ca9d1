#include "armci/message.h"
