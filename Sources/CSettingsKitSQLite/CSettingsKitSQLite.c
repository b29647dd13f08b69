// The package manager wants a source file in every target; the functions are in the system's library.
#include "CSettingsKitSQLite.h"
