// Nothing to call: linking this target sets how many tests run at a time. See TestWidth.c.
