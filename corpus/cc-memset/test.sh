#!/bin/sh
# Reproduced: at -O2 the compiler makes a call of memset out of a program that does not mention it
# (so it does not link on a machine without a C library). Runs where the candidate is.
grep -q memset input.c && exit 1
cc -O2 -Werror=implicit-int -Werror=implicit-function-declaration -Werror=return-type \
    -S -o candidate.s input.c 2>/dev/null || exit 1
grep -Eq '^[[:space:]]*[a-z]+[[:space:]]+_?memset([^[:alnum:]_]|$)' candidate.s
