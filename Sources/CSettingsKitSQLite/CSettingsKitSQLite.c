// The functions of SQLite are in the system's library; only what Swift cannot express is here.
#include "CSettingsKitSQLite.h"

static _Thread_local int isInsideAccess;

int csettingskit_is_inside_access(void) { return isInsideAccess; }

void csettingskit_set_inside_access(int isInside) { isInsideAccess = isInside; }
