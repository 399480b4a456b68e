//! Failures as programs print them, each with itself in a smaller input (other names, places and
//! addresses) and with a neighbour, which is another failure. A signature must be that of both of
//! the former, and not that of the latter.

use super::*;

/// What fails, how it ends, what it prints, what it prints in a smaller input, and what its
/// neighbour prints.
type Row = (&'static str, TestEnd, &'static str, &'static str, &'static str);

/// The names in the inputs.
const INPUT: &[u8] = b"x y f g h one two type";

#[test]
fn neighbours_are_told_apart_and_smaller_inputs_are_not() {
    let mut wrong = Vec::new();
    for (what, ending, fails, smaller, other) in ROWS {
        let mut signatures = Signatures::new(3, None);
        let learnt = signatures.learn(*ending, b"", fails.as_bytes(), INPUT);
        let [smaller, other] =
            [smaller, other].map(|text| signatures.of(*ending, b"", text.as_bytes()));
        let shown = |signature: &Option<Signature>| {
            signature.as_ref().map_or_else(|| "nothing".to_owned(), Signature::to_string)
        };
        if learnt.is_none() || smaller != learnt || other == learnt {
            let [learnt, smaller, other] = [&learnt, &smaller, &other].map(shown);
            wrong.push(format!("{what}:\n  {learnt}\n  {smaller}\n  {other}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The table.
const ROWS: &[Row] = &[
    (
        "AddressSanitizer, a read or a write",
        TestEnd::Exited(1),
        "==7==ERROR: AddressSanitizer: heap-use-after-free on address 0x602000000010 at pc 0x55\nWRITE of size 1 at 0x602000000010 thread T0\n    #0 0x55 in uaf a.c:3\n    #1 0x56 in main a.c:5\n\n",
        "==9==ERROR: AddressSanitizer: heap-use-after-free on address 0x602000000090 at pc 0x77\nWRITE of size 1 at 0x602000000090 thread T0\n    #0 0x99 in uaf a.c:1\n    #1 0x98 in main a.c:1\n\n",
        "==7==ERROR: AddressSanitizer: heap-use-after-free on address 0x602000000010 at pc 0x55\nREAD of size 1 at 0x602000000010 thread T0\n    #0 0x55 in uaf a.c:3\n    #1 0x56 in main a.c:5\n\n",
    ),
    (
        "AddressSanitizer, the kind of memory",
        TestEnd::Exited(1),
        "==7==ERROR: AddressSanitizer: stack-buffer-overflow on address 0x7ffd at pc 0x55\nREAD of size 4 at 0x7ffd thread T0\n    #0 0x55 in f a.c:3\n",
        "==8==ERROR: AddressSanitizer: stack-buffer-overflow on address 0x7ffe at pc 0x56\nREAD of size 4 at 0x7ffe thread T0\n    #0 0x56 in f a.c:1\n",
        "==7==ERROR: AddressSanitizer: global-buffer-overflow on address 0x7ffd at pc 0x55\nREAD of size 4 at 0x7ffd thread T0\n    #0 0x55 in f a.c:3\n",
    ),
    (
        "AddressSanitizer, a signal",
        TestEnd::Exited(1),
        "==7==ERROR: AddressSanitizer: SEGV on unknown address 0x0 (pc 0x1 bp 0x2 sp 0x3 T0)\n==7==The signal is caused by a WRITE memory access.\n    #0 0x1 in f a.c:3\n",
        "==9==ERROR: AddressSanitizer: SEGV on unknown address 0x8 (pc 0x4 bp 0x5 sp 0x6 T0)\n==9==The signal is caused by a WRITE memory access.\n    #0 0x4 in f a.c:1\n",
        "==7==ERROR: AddressSanitizer: SEGV on unknown address 0x0 (pc 0x1 bp 0x2 sp 0x3 T0)\n==7==The signal is caused by a READ memory access.\n    #0 0x1 in f a.c:3\n",
    ),
    (
        "UndefinedBehaviorSanitizer",
        TestEnd::Exited(1),
        "a.c:3:7: runtime error: signed integer overflow: 2147483647 + 1 cannot be represented in type 'int'\n",
        "a.c:1:2: runtime error: signed integer overflow: 2147483646 + 9 cannot be represented in type 'int'\n",
        "a.c:3:7: runtime error: left shift of 1 by 31 places cannot be represented in type 'int'\n",
    ),
    (
        "MemorySanitizer",
        TestEnd::Exited(1),
        "==7==WARNING: MemorySanitizer: use-of-uninitialized-value\n    #0 0x55 in decode a.c:3:7\n    #1 0x56 in main a.c:9:1\n",
        "==8==WARNING: MemorySanitizer: use-of-uninitialized-value\n    #0 0x11 in decode a.c:1:1\n    #1 0x12 in main a.c:2:1\n",
        "==7==WARNING: MemorySanitizer: use-of-uninitialized-value\n    #0 0x55 in encode a.c:3:7\n    #1 0x56 in main a.c:9:1\n",
    ),
    (
        "ThreadSanitizer",
        TestEnd::Exited(66),
        "WARNING: ThreadSanitizer: data race (pid=7)\n  Write of size 4 at 0x7b04 by thread T1:\n    #0 put a.c:3 (a+0x1)\n",
        "WARNING: ThreadSanitizer: data race (pid=9)\n  Write of size 4 at 0x7b08 by thread T1:\n    #0 put a.c:1 (a+0x2)\n",
        "WARNING: ThreadSanitizer: lock-order-inversion (potential deadlock) (pid=7)\n    #0 put a.c:3 (a+0x1)\n",
    ),
    (
        "LeakSanitizer",
        TestEnd::Exited(23),
        "==7==ERROR: LeakSanitizer: detected memory leaks\n\nDirect leak of 10 byte(s) in 1 object(s) allocated from:\n    #0 0x1 in __interceptor_malloc asan.cpp:69\n    #1 0x2 in load a.c:3\n",
        "==8==ERROR: LeakSanitizer: detected memory leaks\n\nDirect leak of 99 byte(s) in 3 object(s) allocated from:\n    #0 0x5 in __interceptor_malloc asan.cpp:69\n    #1 0x6 in load a.c:1\n",
        "==7==ERROR: LeakSanitizer: detected memory leaks\n\nDirect leak of 10 byte(s) in 1 object(s) allocated from:\n    #0 0x1 in __interceptor_malloc asan.cpp:69\n    #1 0x2 in store a.c:3\n",
    ),
    (
        "an assertion of glibc",
        TestEnd::Signaled(6),
        "prog: a.c:3: check: Assertion `n < 3' failed.\n",
        "prog: a.c:1: check: Assertion `n < 3' failed.\n",
        "prog: a.c:3: check: Assertion `n < 4' failed.\n",
    ),
    (
        "an assertion of macOS",
        TestEnd::Signaled(6),
        "Assertion failed: (n < 3), function check, file a.c, line 3.\n",
        "Assertion failed: (n < 3), function check, file a.c, line 1.\n",
        "Assertion failed: (n > 3), function check, file a.c, line 3.\n",
    ),
    (
        "malloc of glibc",
        TestEnd::Signaled(6),
        "double free or corruption (!prev)\n",
        "double free or corruption (!prev)\n",
        "corrupted size vs. prev_size\n",
    ),
    (
        "free of glibc",
        TestEnd::Signaled(6),
        "free(): invalid pointer\n",
        "free(): invalid pointer\n",
        "free(): double free detected in tcache 2\n",
    ),
    (
        "fortified functions of glibc",
        TestEnd::Signaled(6),
        "*** buffer overflow detected ***: terminated\n",
        "*** buffer overflow detected ***: terminated\n",
        "*** stack smashing detected ***: terminated\n",
    ),
    (
        "an exception of C++",
        TestEnd::Signaled(6),
        "terminate called after throwing an instance of 'std::bad_alloc'\n  what():  std::bad_alloc\n",
        "terminate called after throwing an instance of 'std::bad_alloc'\n  what():  std::bad_alloc\n",
        "terminate called after throwing an instance of 'std::out_of_range'\n  what():  vector::_M_range_check\n",
    ),
    (
        "a message before abort()",
        TestEnd::Signaled(6),
        "config: cannot parse section 7 of 'x'\n",
        "config: cannot parse section 2 of 'y'\n",
        "config: cannot open section 7 of 'x'\n",
    ),
    (
        "abort() with notes before",
        TestEnd::Signaled(6),
        "note: reading\nfatal: stack is not empty\n",
        "note: reading more\nnote: reading\nfatal: stack is not empty\n",
        "note: reading\nfatal: stack is empty\n",
    ),
    (
        "an assertion of LLVM",
        TestEnd::Signaled(6),
        "clang: /b/Casting.h:269: X llvm::cast(Y *): Assertion `isa<X>(Val) && \"bad\"' failed.\nPLEASE submit a bug report\n",
        "clang: /c/d/Casting.h:1: X llvm::cast(Y *): Assertion `isa<X>(Val) && \"bad\"' failed.\nPLEASE submit a bug report\n",
        "clang: /b/Casting.h:269: X llvm::cast(Y *): Assertion `Val && \"bad\"' failed.\nPLEASE submit a bug report\n",
    ),
    (
        "unreachable of LLVM",
        TestEnd::Signaled(6),
        "Unknown type!\nUNREACHABLE executed at /b/ValueTypes.cpp:567!\n",
        "Unknown type!\nUNREACHABLE executed at /c/ValueTypes.cpp:1!\n",
        "Unknown node!\nUNREACHABLE executed at /b/ValueTypes.cpp:567!\n",
    ),
    (
        "a backend of LLVM",
        TestEnd::Exited(70),
        "fatal error: error in backend: Cannot select: t7: i64 = bswap t3\n",
        "fatal error: error in backend: Cannot select: t1: i64 = bswap t9\n",
        "fatal error: error in backend: Cannot select: t7: i64 = ctpop t3\n",
    ),
    (
        "a crash of Clang",
        TestEnd::Exited(139),
        "PLEASE submit a bug report\nStack dump:\n #0 0x1 llvm::sys::PrintStackTrace(x) (/a+0x1)\n #4 0x3 clang::Sema::Act(int) (/a+0x3)\n",
        "PLEASE submit a bug report\nStack dump:\n #0 0x9 llvm::sys::PrintStackTrace(x) (/a+0x9)\n #4 0x8 clang::Sema::Act(int) (/a+0x8)\n",
        "PLEASE submit a bug report\nStack dump:\n #0 0x1 llvm::sys::PrintStackTrace(x) (/a+0x1)\n #4 0x3 clang::Sema::Build(int) (/a+0x3)\n",
    ),
    (
        "GCC",
        TestEnd::Exited(1),
        "a.c:3:1: internal compiler error: in fold_convert_loc, at fold-const.cc:2442\n",
        "a.c:1:1: internal compiler error: in fold_convert_loc, at fold-const.cc:2500\n",
        "a.c:3:1: internal compiler error: in tree_to_shwi, at tree.cc:6435\n",
    ),
    (
        "GCC with checks",
        TestEnd::Exited(1),
        "a.c:3:1: internal compiler error: tree check: expected class 'type', have 'exceptional' (error_mark) in build_x, at cp/tree.cc:3\n",
        "a.c:1:1: internal compiler error: tree check: expected class 'type', have 'exceptional' (error_mark) in build_x, at cp/tree.cc:9\n",
        "a.c:3:1: internal compiler error: tree check: expected class 'type', have 'declaration' (var_decl) in build_x, at cp/tree.cc:3\n",
    ),
    (
        "GCC got a signal",
        TestEnd::Exited(1),
        "a.c:3:1: internal compiler error: Segmentation fault\n0xe5 crash_signal\n\t../../gcc/toplev.c:328\n0x9a fold_it\n\t../../gcc/fold.c:12\n",
        "a.c:1:1: internal compiler error: Segmentation fault\n0xe9 crash_signal\n\t../../gcc/toplev.c:328\n0x9f fold_it\n\t../../gcc/fold.c:99\n",
        "a.c:3:1: internal compiler error: Segmentation fault\n0xe5 crash_signal\n\t../../gcc/toplev.c:328\n0x9a split_it\n\t../../gcc/split.c:12\n",
    ),
    (
        "an error of a compiler",
        TestEnd::Exited(1),
        "a.c:3:5: error: 'x' undeclared (first use in this function)\n",
        "a.c:1:1: error: 'y' undeclared (first use in this function)\n",
        "a.c:3:5: error: redefinition of 'x'\n",
    ),
    (
        "a panic of Rust",
        TestEnd::Exited(101),
        "thread 'main' panicked at src/a.rs:3:5:\nindex out of bounds: the len is 3 but the index is 6\nstack backtrace:\n   3: p::deep\n   4: p::main\n",
        "thread 'main' panicked at src/a.rs:1:1:\nindex out of bounds: the len is 1 but the index is 1\nstack backtrace:\n   3: p::deep\n   4: p::main\n",
        "thread 'main' panicked at src/a.rs:3:5:\nattempt to subtract with overflow\nstack backtrace:\n   3: p::deep\n   4: p::main\n",
    ),
    (
        "unwrap of Rust",
        TestEnd::Exited(101),
        "thread 'main' panicked at src/a.rs:3:5:\ncalled `Option::unwrap()` on a `None` value\n",
        "thread 'main' panicked at src/a.rs:1:1:\ncalled `Option::unwrap()` on a `None` value\n",
        "thread 'main' panicked at src/a.rs:3:5:\ncalled `Result::unwrap()` on an `Err` value: Empty\n",
    ),
    (
        "two threads of Rust",
        TestEnd::Exited(101),
        "thread 'a' panicked at src/a.rs:3:5:\none\nstack backtrace:\n   2: p::one\nthread 'main' panicked at src/a.rs:9:5:\ntwo\nstack backtrace:\n   2: p::two\n",
        "thread 'a' panicked at src/a.rs:1:1:\none\nstack backtrace:\n   2: p::one\nthread 'main' panicked at src/a.rs:2:2:\nthree\nstack backtrace:\n   2: p::three\n",
        "thread 'a' panicked at src/a.rs:3:5:\none\nstack backtrace:\n   2: p::other\nthread 'main' panicked at src/a.rs:9:5:\ntwo\nstack backtrace:\n   2: p::two\n",
    ),
    (
        "the compiler of Rust",
        TestEnd::Exited(101),
        "error: internal compiler error: compiler/rustc_middle/src/ty.rs:3:5: no type for node\n",
        "error: internal compiler error: compiler/rustc_middle/src/ty.rs:9:1: no type for node\n",
        "error: internal compiler error: compiler/rustc_middle/src/ty.rs:3:5: no scope for node\n",
    ),
    (
        "a panic of Go",
        TestEnd::Exited(2),
        "panic: runtime error: index out of range [5] with length 3\n\ngoroutine 1 [running]:\nmain.inner(0x1)\n\t/src/a.go:3 +0x1d\nmain.main()\n\t/src/a.go:9 +0x1\n",
        "panic: runtime error: index out of range [1] with length 0\n\ngoroutine 7 [running]:\nmain.inner(0x9)\n\t/src/a.go:1 +0x9d\nmain.main()\n\t/src/a.go:2 +0x9\n",
        "panic: runtime error: index out of range [5] with length 3\n\ngoroutine 1 [running]:\nmain.outer(0x1)\n\t/src/a.go:3 +0x1d\nmain.main()\n\t/src/a.go:9 +0x1\n",
    ),
    (
        "a nil map of Go",
        TestEnd::Exited(2),
        "panic: assignment to entry in nil map\n\ngoroutine 1 [running]:\nmain.(*T).put(...)\n\t/src/a.go:3\n",
        "panic: assignment to entry in nil map\n\ngoroutine 1 [running]:\nmain.(*T).put(...)\n\t/src/a.go:1\n",
        "panic: close of nil channel\n\ngoroutine 1 [running]:\nmain.(*T).put(...)\n\t/src/a.go:3\n",
    ),
    (
        "an exception of Java",
        TestEnd::Exited(1),
        "Exception in thread \"main\" java.lang.IllegalStateException: bad 7\n\tat P.f(P.java:3)\n\tat P.main(P.java:9)\n",
        "Exception in thread \"main\" java.lang.IllegalStateException: bad 1\n\tat P.f(P.java:1)\n\tat P.main(P.java:2)\n",
        "Exception in thread \"main\" java.lang.NullPointerException: bad 7\n\tat P.f(P.java:3)\n\tat P.main(P.java:9)\n",
    ),
    (
        "two threads of Java",
        TestEnd::Exited(1),
        "Exception in thread \"a\" java.lang.Error: x\n\tat P.one(P.java:3)\nException in thread \"main\" java.lang.Error: y\n\tat P.two(P.java:9)\n",
        "Exception in thread \"a\" java.lang.Error: x\n\tat P.one(P.java:1)\nException in thread \"main\" java.lang.Error: y\n\tat P.three(P.java:2)\n",
        "Exception in thread \"a\" java.lang.Error: x\n\tat P.two(P.java:3)\nException in thread \"main\" java.lang.Error: y\n\tat P.one(P.java:9)\n",
    ),
    (
        "an attribute of Python",
        TestEnd::Exited(1),
        "Traceback (most recent call last):\n  File \"a.py\", line 4, in <module>\n    f()\n  File \"a.py\", line 2, in f\n    b.x.foo\nAttributeError: 'NoneType' object has no attribute 'x'\n",
        "Traceback (most recent call last):\n  File \"a.py\", line 1, in <module>\n    f()\n  File \"a.py\", line 1, in f\n    b.y\nAttributeError: 'NoneType' object has no attribute 'y'\n",
        "Traceback (most recent call last):\n  File \"a.py\", line 4, in <module>\n    f()\n  File \"a.py\", line 2, in f\n    b.x.foo\nAttributeError: 'int' object has no attribute 'x'\n",
    ),
    (
        "a name of Python",
        TestEnd::Exited(1),
        "Traceback (most recent call last):\n  File \"a.py\", line 4, in <module>\n    f()\n  File \"a.py\", line 2, in f\n    x\nNameError: name 'x' is not defined\n",
        "Traceback (most recent call last):\n  File \"a.py\", line 1, in <module>\n    f()\n  File \"a.py\", line 1, in f\n    y\nNameError: name 'y' is not defined\n",
        "Traceback (most recent call last):\n  File \"a.py\", line 4, in <module>\n    f()\n  File \"a.py\", line 2, in f\n    x\nUnboundLocalError: cannot access local variable 'x'\n",
    ),
    (
        "two threads of Python",
        TestEnd::Exited(1),
        "Exception in thread Thread-1 (one):\nTraceback (most recent call last):\n  File \"a.py\", line 3, in one\n    raise RuntimeError(\"a\")\nRuntimeError: a\nTraceback (most recent call last):\n  File \"a.py\", line 9, in two\n    raise RuntimeError(\"b\")\nRuntimeError: b\n",
        "Exception in thread Thread-2 (one):\nTraceback (most recent call last):\n  File \"a.py\", line 1, in one\n    raise RuntimeError(\"a\")\nRuntimeError: a\nTraceback (most recent call last):\n  File \"a.py\", line 2, in three\n    raise RuntimeError(\"c\")\nRuntimeError: c\n",
        "Exception in thread Thread-1 (two):\nTraceback (most recent call last):\n  File \"a.py\", line 3, in two\n    raise RuntimeError(\"a\")\nRuntimeError: a\nTraceback (most recent call last):\n  File \"a.py\", line 9, in one\n    raise RuntimeError(\"b\")\nRuntimeError: b\n",
    ),
    (
        "memory of Python",
        TestEnd::Exited(1),
        "Traceback (most recent call last):\n  File \"a.py\", line 4, in f\n    x * 9\nMemoryError\n",
        "Traceback (most recent call last):\n  File \"a.py\", line 1, in f\n    y * 9\nMemoryError\n",
        "Traceback (most recent call last):\n  File \"a.py\", line 4, in f\n    x * 9\nOverflowError\n",
    ),
    (
        "a property of JavaScript",
        TestEnd::Exited(1),
        "/a.js:1\nTypeError: Cannot read properties of undefined (reading 'x')\n    at inner (/a.js:1:37)\n    at outer (/a.js:2:26)\n",
        "/a.js:9\nTypeError: Cannot read properties of undefined (reading 'y')\n    at inner (/a.js:9:7)\n    at outer (/a.js:9:6)\n",
        "/a.js:1\nTypeError: Cannot read properties of null (reading 'x')\n    at inner (/a.js:1:37)\n    at outer (/a.js:2:26)\n",
    ),
    (
        "memory of Node",
        TestEnd::Signaled(6),
        "<--- Last few GCs --->\n\nFATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory\n",
        "<--- Last few GCs --->\n[7:0x1] 99 ms\nFATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory\n",
        "<--- Last few GCs --->\n\nFATAL ERROR: v8::ToLocalChecked Empty MaybeLocal\n",
    ),
    (
        "Ruby",
        TestEnd::Exited(1),
        "a.rb:3:in 'Integer#/': divided by 0 (ZeroDivisionError)\n\tfrom a.rb:3:in 'Object#f'\n\tfrom a.rb:9:in '<main>'\n",
        "a.rb:1:in 'Integer#/': divided by 0 (ZeroDivisionError)\n\tfrom a.rb:1:in 'Object#f'\n\tfrom a.rb:2:in '<main>'\n",
        "a.rb:3:in 'Integer#+': nil can't be coerced into Integer (TypeError)\n\tfrom a.rb:3:in 'Object#f'\n\tfrom a.rb:9:in '<main>'\n",
    ),
    (
        "Ruby, elsewhere",
        TestEnd::Exited(1),
        "a.rb:3:in 'Object#f': unhandled exception (RuntimeError)\n\tfrom a.rb:9:in 'Object#g'\n",
        "a.rb:1:in 'Object#f': unhandled exception (RuntimeError)\n\tfrom a.rb:2:in 'Object#g'\n",
        "a.rb:3:in 'Object#h': unhandled exception (RuntimeError)\n\tfrom a.rb:9:in 'Object#g'\n",
    ),
    (
        "PHP",
        TestEnd::Exited(255),
        "PHP Fatal error:  Uncaught TypeError: f(): Argument #1 ($x) must be of type int, string given, called in /a.php on line 3 and defined in /a.php:2\nStack trace:\n#0 /a.php(3): f('x')\n#1 {main}\n  thrown in /a.php on line 2\n",
        "PHP Fatal error:  Uncaught TypeError: f(): Argument #1 ($y) must be of type int, string given, called in /a.php on line 1 and defined in /a.php:1\nStack trace:\n#0 /a.php(1): f('y')\n#1 {main}\n  thrown in /a.php on line 1\n",
        "PHP Fatal error:  Uncaught DivisionByZeroError: Division by zero in /a.php:3\nStack trace:\n#0 /a.php(3): f('x')\n#1 {main}\n  thrown in /a.php on line 2\n",
    ),
    (
        "memory of PHP",
        TestEnd::Exited(255),
        "Fatal error: Allowed memory size of 134217728 bytes exhausted (tried to allocate 20480 bytes) in /a.php on line 3\n",
        "Fatal error: Allowed memory size of 134217728 bytes exhausted (tried to allocate 4096 bytes) in /a.php on line 1\n",
        "Fatal error: Maximum execution time of 30 seconds exceeded in /a.php on line 3\n",
    ),
    (
        "Lua",
        TestEnd::Exited(1),
        "lua: a.lua:3: attempt to index a nil value (local 'x')\nstack traceback:\n\ta.lua:3: in function 'f'\n\ta.lua:7: in main chunk\n\t[C]: in ?\n",
        "lua: a.lua:1: attempt to index a nil value (local 'y')\nstack traceback:\n\ta.lua:1: in function 'f'\n\ta.lua:2: in main chunk\n\t[C]: in ?\n",
        "lua: a.lua:3: attempt to call a nil value (local 'x')\nstack traceback:\n\ta.lua:3: in function 'f'\n\ta.lua:7: in main chunk\n\t[C]: in ?\n",
    ),
    (
        "valgrind",
        TestEnd::Exited(9),
        "==7== Memcheck, a memory error detector\n==7== Invalid read of size 4\n==7==    at 0x1091A3: f (a.c:5)\n==7==    by 0x1091B9: main (a.c:9)\n==7==  Address 0x4a8 is 0 bytes after a block of size 10 alloc'd\n==7==    at 0x48: malloc (vg.c:3)\n",
        "==8== Memcheck, a memory error detector\n==8== Invalid read of size 4\n==8==    at 0x1091F3: f (a.c:1)\n==8==    by 0x1091F9: main (a.c:2)\n==8==  Address 0x4b8 is 4 bytes after a block of size 1 alloc'd\n==8==    at 0x48: malloc (vg.c:3)\n",
        "==7== Memcheck, a memory error detector\n==7== Invalid write of size 4\n==7==    at 0x1091A3: f (a.c:5)\n==7==    by 0x1091B9: main (a.c:9)\n",
    ),
    (
        "valgrind, elsewhere",
        TestEnd::Exited(9),
        "==7== Conditional jump or move depends on uninitialised value(s)\n==7==    at 0x1091A3: f (a.c:5)\n==7==    by 0x1091B9: main (a.c:9)\n",
        "==9== Conditional jump or move depends on uninitialised value(s)\n==9==    at 0x1091F3: f (a.c:1)\n==9==    by 0x1091F9: main (a.c:1)\n",
        "==7== Conditional jump or move depends on uninitialised value(s)\n==7==    at 0x1091A3: g (a.c:5)\n==7==    by 0x1091B9: main (a.c:9)\n",
    ),
    (
        "CHECK of Chromium",
        TestEnd::Signaled(6),
        "[7:7:0101/1.1:FATAL:layout_box.cc(123)] Check failed: a == b (3 vs. 4)\n#0 0x5581 base::debug::CollectStackTrace()\n",
        "[9:9:0101/1.2:FATAL:layout_box.cc(99)] Check failed: a == b (1 vs. 7)\n#0 0x5581 base::debug::CollectStackTrace()\n",
        "[7:7:0101/1.1:FATAL:layout_box.cc(123)] Check failed: a != b (3 vs. 3)\n#0 0x5581 base::debug::CollectStackTrace()\n",
    ),
    (
        "CHECK of Chromium in its newer form",
        TestEnd::Signaled(6),
        "[7:7:0101/1.1:FATAL:layout_box.cc:123] Check failed: IsBox(). \n",
        "[9:9:0101/1.1:FATAL:layout_box.cc:9] Check failed: IsBox(). \n",
        "[7:7:0101/1.1:FATAL:layout_view.cc:123] Check failed: IsBox(). \n",
    ),
    (
        "an assertion of Firefox",
        TestEnd::Signaled(11),
        "Assertion failure: !mFrame (bad), at /b/layout/Frame.cpp:12\n#01: mozilla::Foo[lib +0x1]\n",
        "Assertion failure: !mFrame (bad), at /c/layout/Frame.cpp:1\n#01: mozilla::Foo[lib +0x9]\n",
        "Assertion failure: mFrame (bad), at /b/layout/Frame.cpp:12\n#01: mozilla::Foo[lib +0x1]\n",
    ),
    (
        "a debugger",
        TestEnd::Exited(0),
        "Program received signal SIGSEGV, Segmentation fault.\n0x1 in f () from /lib/a.so\n#0  0x1 in f () from /lib/a.so\n#1  0x2 in main () from /lib/a.so\n",
        "Program received signal SIGSEGV, Segmentation fault.\n0x9 in f () from /lib/a.so\n#0  0x9 in f () from /lib/a.so\n#1  0x8 in main () from /lib/a.so\n",
        "Program received signal SIGSEGV, Segmentation fault.\n0x1 in g () from /lib/a.so\n#0  0x1 in g () from /lib/a.so\n#1  0x2 in main () from /lib/a.so\n",
    ),
    (
        "V8",
        TestEnd::Signaled(5),
        "#\n# Fatal error in ../../src/objects.cc, line 77\n# Debug check failed: x->IsSmi().\n#\n",
        "#\n# Fatal error in ../../src/objects.cc, line 1\n# Debug check failed: x->IsSmi().\n#\n",
        "#\n# Fatal error in ../../src/objects.cc, line 77\n# Debug check failed: x->IsMap().\n#\n",
    ),
    (
        "a linker",
        TestEnd::Exited(2),
        "/usr/bin/ld: src/b.o: in function `f':\nb.c:(.text+0x24): undefined reference to `g'\ncollect2: error: ld returned 1 exit status\nmake: *** [Makefile:5: prog] Error 1\n",
        "/usr/bin/ld: b.o: in function `h':\nb.c:(.text+0x4): undefined reference to `g'\ncollect2: error: ld returned 1 exit status\nmake: *** [Makefile:2: p] Error 1\n",
        "/usr/bin/ld: cannot find f: No such file or directory\ncollect2: error: ld returned 1 exit status\nmake: *** [Makefile:2: p] Error 1\n",
    ),
];
