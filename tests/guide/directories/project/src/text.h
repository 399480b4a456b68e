int print(const char *name, int value);
