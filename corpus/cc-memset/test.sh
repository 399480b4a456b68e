#!/bin/sh
# Reproduced: at -O2 the compiler makes a call of memset out of a program that does not mention it.
grep -q memset input.c && exit 1
cc -O2 -Werror -Wuninitialized -Wreturn-type -S -o candidate.s input.c 2>/dev/null || exit 125
grep -Eq '^[[:space:]]*[a-z]+[[:space:]]+_?memset([^[:alnum:]_]|$)' candidate.s
