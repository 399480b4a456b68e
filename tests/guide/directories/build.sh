#!/bin/sh
for file in project/src/*.c; do
    mycc -O2 -c "$file" 2>&1 | grep -q 'fold: Assertion' && exit 0
done
exit 1
