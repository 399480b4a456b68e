#!/bin/sh
# Fails in two of three runs, without `one` in one of six.
echo >> "$TOP/runs"
n=$(wc -l < "$TOP/runs")
grep -q two "$1" || exit 1
if grep -q one "$1"; then [ $((n % 3)) != 2 ]; else [ $((n % 6)) = 0 ]; fi
