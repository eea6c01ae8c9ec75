// Result and Error are public: a program that uses the library handles them too.
#pragma once

#include "ananke/result.h"
#include "base/check.h"
