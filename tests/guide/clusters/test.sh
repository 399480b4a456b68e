#!/bin/sh
mycc -O2 -c crash.c 2>&1 | grep -q 'fold: Assertion'
