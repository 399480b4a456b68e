#!/bin/sh
grep -q '<em>' "$1" && grep -q word "$1" && grep -q '<i>' "$1"
