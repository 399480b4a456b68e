#include <stdio.h>
int unused(int a, int b) { return a + b; }
struct point { int x; int y; };
int main(void) {
  struct point p = { 1, 2 };
  for (int i = 0; i < 10; i++) printf("%d", unused(i, p.x));
  crash(1, 2);
  return 0;
}
