#!/bin/sh
mycc -O2 -c crash.c 2>&1 | grep -q 'fold: Assertion' || exit 1
cc -Werror=implicit-int -Werror=implicit-function-declaration -fsyntax-only crash.c 2> /dev/null || exit 125
