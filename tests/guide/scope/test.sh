#!/bin/sh
grep -q 1717 "$1"
