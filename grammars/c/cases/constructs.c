/* One of everything that the grammar knows; it has to compile nowhere. */
#include <stdio.h>
#include "own.h"
#define EMPTY
#define VALUE 1 + 2 /* with a comment */
#define CALL(a, b, ...) do { a ## b; } while (0)
#pragma once
#undef VALUE
#line 7 "other.c"
#if defined(A) && !defined B || VALUE(1, 2) > -3
extern int one;
#elif (C << 2) == 4
extern int two;
#else
extern int three;
#endif
#ifdef D
typedef int under_d;
#elifdef E
typedef int under_e;
#endif
#ifndef F
#endif

typedef unsigned long long wide, *wide_pointer, wide_array[4];
typedef int (*callback)(void *, const char *restrict, ...);
typedef struct node node_t __attribute__((aligned(8)));
extern "C" { int linked(void); }
extern "C" int linked_too(void);
_Static_assert(sizeof(int) == 4, "size");
__attribute__((noreturn)) void stop(int code);
[[nodiscard]] int kept(void);
__declspec(dllexport) int exported;
int __stdcall windows(int a);

struct node {
    struct node *next, **end;
    unsigned flag : 1, more : 3;
    int (*method)(struct node *self, int), matrix[2][3];
    union { int i; float f; };
    enum { RED, GREEN = 2, BLUE } colour;
    const volatile long x __attribute__((packed));
#ifdef G
    int only_g;
#else
    int not_g;
#endif
    _Atomic int count;
};
enum empty_name;
enum sized : int { FIRST = 1, SECOND, };
enum conditional {
    ONE,
#ifdef H
    TWO,
#endif
    THREE
};
union u { char c; } __attribute__((packed)) global_union;

static const int table[] = { 1, 2, [3] = 4, [5 ... 6] = 7, };
struct node first = { .next = &first, .matrix[0][1] = 2, colour: RED, .flag = 1 };
static inline int (*get(int which))(void);
char *strings = "a" "b\n\x41\"" L"wide", letter = 'x', quote = '\'', wide_letter = L'\n';
float numbers[] = { 0x1F, 0b101, 017, 1.5e-3f, .5, 1ULL, 0x1p4 };
int (parenthesized), *(*pointer)[3], zero_size[], variable[*];
int a_register asm("r0");
__thread int own;

int old_style(a, b)
    int a;
    char *b;
{
    return a;
}

static int all(int n, char **arguments, int list[static 3], int (*f)(int), struct node by_value, ...)
{
    int i, j = 0, *p = &i;
    auto int typed;
    struct { int x, y; } point = { 1, 2 }, *to = &point;
    static int kept_value = sizeof(struct node) + sizeof i + sizeof(int[3]);
    ;
    { { } }
again:
    if (n > 0) i = 1; else if (n < 0) { i = -1; } else i = !0;
    for (i = 0, j = 10; i < j; i++, --j) { continue; }
    for (int k = 0; k < 3; ++k) ;
    for (;;) break;
    while (i-- && ~j || (i ^ j)) { if (i) break; }
    do i += 2; while (i <= 4);
    switch (n) {
    case 1:
    case 2: { i = 3; } break;
    case 3 + 1: int inside; i <<= 1; typedef int t;
    default: goto again;
    }
    i = j = n ? i : j, n ?: 4;
    i = (int)j + (char *)p - arguments + *p + p[0] + to->x + (*to).y + point.x;
    i -= i * j / n % 3 | i & j ^ n >> 1; i *= 1; i /= 1; i %= 1; i |= 1; i &= 1; i ^= 1; i >>= 1;
    i = i == j && i != n || i >= j;
    f(1)(2, "x", 'y', (struct node){ 0 }, (int[]){ 1, 2 });
    p = NULL; i = true, j = FALSE;
    i = ({ int q = 1; q; });
    i = _Generic(i, int: 1, default_t: 2, char *: 3);
    i = offsetof(struct node, x) + _Alignof(int) + __alignof__(long);
    __extension__ i;
    asm volatile("nop" : "=r"(i), [named] "+m"(j) : "r"(n) : "memory", "cc");
    asm goto("" : : : : again);
    __asm__("nop");
    [[fallthrough]];
    static_macro(i) { j++; }
#if VALUE
    i = 1;
#else
    i = 2;
#endif
    __try { i = 1; } __except (1) { __leave; }
    __try { i = 1; } __finally { }
    // a comment \
       that goes on
    return (i);
}

void abstract(int *, int (*)(int), char *[], int (*)[3], unsigned, void (void), struct node const *const);
int main(void) { return all(1, 0, table, get(0)); }

#ifdef __cplusplus
extern "C" {
#endif
#if defined(__cplusplus) && VALUE
using nothing = int;
#endif
SOME_API int exported(int a);
static SOME_INLINE struct node *SOME_CALL called(void);
local int small(int a) { return a; }
local node_t *smaller(node_t *a) { return a; }
SOME_TABLE(first, second)
typedef SOME_ALIGNED int aligned_t;
typedef __attribute__((aligned(1))) int unaligned_t;
int (SOME_CALL *pointer)(int), suffixed(int) SOME_PURE;
enum some {
#if VALUE
    SOME_FIRST,
#endif
    SOME_LAST
};
int conditional(int a
#if VALUE
    , int b
#else
    , long b
#endif
) {
    if (a
#if VALUE
        && b
#endif
    ) return 1;
#if VALUE
    if (a) {
#else
    if (b) {
#endif
        a++;
    }
#if 0
    it's no C
#else
    a--;
#endif
    return 0;
}
#if SOME_INCLUDE(<stdio.h>)
__asm { nop }
#endif
#ifdef __cplusplus
}
#endif
