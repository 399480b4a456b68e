#include <stdio.h>
#include "text.h"

int print(const char *name, int value)
{
    return printf("%s: %d\n", name, value) < 0;
}
