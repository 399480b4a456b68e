#!/bin/sh
# A repository with two revisions of a calculator; the second one subtracts the wrong way round.
set -e
git init -q calc
cd calc
git config user.name Guide
git config user.email guide@example.com
cat > calc.c <<'X'
int add(int a, int b)
{
    return a + b;
}

int subtract(int a, int b)
{
    return a - b;
}
X
echo 'Version 1.' > news
git add .
git commit -qm 'Version 1'
git tag v1
cat > calc.c <<'X'
#include <stdio.h>

void version(void)
{
    puts("calc 2");
}

int add(int a, int b)
{
    int sum = a + b;
    return sum;
}

int subtract(int a, int b)
{
    return b - a;
}
X
echo 'Version 2.' > news
git add .
git commit -qm 'Version 2'
git tag v2
