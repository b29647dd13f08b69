// Linking this target sets how many tests run at a time. See TestWidth.c.

/// Adds to the actions of posix_spawn that the new process closes all descriptors but its three streams; does nothing where the
/// system has another way.
int csettingstest_close_others(void *_Nonnull actions);


/// Exchanges the names of two files or directories. Fails where the system cannot.
int csettingstest_exchange(const char *_Nonnull path, const char *_Nonnull other);
