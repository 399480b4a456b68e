#!/bin/sh
# Fails if 7 - 4 is -3.
cd "$1" || exit 125
{ cat calc.c; echo 'int main(void) { printf("%d", subtract(7, 4)); return 0; }'; } > main.c
cc -w -o main main.c 2> /dev/null || exit 125
test "$(./main)" = -3
