#include "armci/mp3.h"
