//! Logs of real programs, shortened, and what they are called.

mod neighbours;

use super::*;
use crate::signature::stack::{demangled, without_arguments};

fn check(ending: TestEnd, stderr: &str, expected: &str) {
    let signatures = Signatures::new(3, None);
    let shown = signatures.of(ending, b"", stderr.as_bytes());
    assert_eq!(shown.map(|s| s.to_string()).unwrap_or_default(), expected, "for:\n{stderr}");
    let on_stdout = signatures.of(ending, stderr.as_bytes(), b"");
    assert_eq!(on_stdout.map(|s| s.to_string()).unwrap_or_default(), expected);
}

const SEGV: TestEnd = TestEnd::Signaled(11);
const ONE: TestEnd = TestEnd::Exited(1);

#[test]
fn runs_without_a_failure_have_no_signature() {
    check(TestEnd::Exited(0), "a.c:1:2: warning: unused error: variable", "");
    check(TestEnd::TimedOut, "error: x", "");
    check(TestEnd::Stopped, "", "");
}

#[test]
fn what_says_nothing_is_called_by_its_end() {
    check(TestEnd::Exited(3), "", "failure (exit code 3)");
    check(SEGV, "", "killed (SIGSEGV)");
    check(SEGV, "line 7 - Error: <o:p> is not recognized!", "killed (SIGSEGV)");
    check(TestEnd::Signaled(31), "", "killed (SIGSYS)");
    check(TestEnd::Exited(139), "Segmentation fault", "crash: Segmentation fault (exit code 139)");
}

#[test]
fn gcc() {
    check(
        ONE,
        "input.c: In function `main':\n\
         input.c:1459: internal compiler error: in subreg_regno_offset, at rtlanal.c:3243\n\
         Please submit a full bug report,\n",
        "GCC ICE: subreg_regno_offset (exit code 1)",
    );
    check(
        ONE,
        "during GIMPLE pass: ivopts\ninput.c:2895:5: internal compiler error: \
         in immed_wide_int_const_1, at emit-rtl.cc:659\n 2895 | int main (int argc)\n\
         0x7fb74caa9249 __libc_start_call_main\n\t../sysdeps/nptl/libc_start_call_main.h:58\n",
        "GCC ICE: immed_wide_int_const_1 (exit code 1)",
    );
    check(
        TestEnd::Exited(4),
        "a.c:7:1: internal compiler error: Segmentation fault\n\
         0xe50d2f crash_signal\n\t../../gcc/toplev.c:328\n\
         0x9a1b2c tree_check(tree_node*, char const*)\n\t../../gcc/tree.h:3131\n\
         0x9a1bff fold_it\n\t../../gcc/fold.c:12\n",
        "GCC ICE: Segmentation fault in tree_check < fold_it (exit code 4)",
    );
    check(ONE, "a.c:3:5: error: ‘x’ undeclared", "error: '…' undeclared (exit code 1)");
}

#[test]
fn go() {
    check(
        TestEnd::Exited(2),
        "fatal error: all goroutines are asleep - deadlock!\n\ngoroutine 1 [chan receive]:\n\
         main.main()\n\t/src/a.go:3 +0x1\n",
        "Go panic: all goroutines are asleep - deadlock! in main.main (exit code 2)",
    );
}

#[test]
fn clang() {
    check(
        TestEnd::Exited(70),
        "fatal error: error in backend: Cannot select: 0x3bbc9c78: i64,ch = AtomicSwap<(load store \
         monotonic (s8) on @bc)> 0x3bbc98d0:1, 0x3bbc9ce0\n  0x3bbc9ce0: i64 = Wrapper\n\
         In function: main\nPLEASE submit a bug report to\n",
        "LLVM backend: Cannot select AtomicSwap (exit code 70)",
    );
    check(
        TestEnd::Exited(70),
        "fatal error: error in backend: unable to allocate function return #2\nStack dump:\n",
        "LLVM backend: unable to allocate function return #N (exit code 70)",
    );
    let of_backend = [
        (
            "unable to legalize instruction: %7:_(s128) = G_SDIV %5:_, %6:_ (in function: _Z13mulEverythingnn)",
            "unable to legalize instruction G_SDIV",
        ),
        (
            "cannot select: %3:gpr(p0) = G_GLOBAL_VALUE @_ZSt4cout (in function: main)",
            "cannot select G_GLOBAL_VALUE",
        ),
        (
            "cannot select: G_STORE %1:gpr(s8), %0:gpr(p0) :: (store (s8) into @x, !a = 1) (in function: f)",
            "cannot select G_STORE",
        ),
        (
            "unable to translate instruction: call (in function: _Z1fv)",
            "unable to translate instruction: call",
        ),
        ("symbol @_ZSt4cout is twice there", "symbol @… is twice there"),
    ];
    for (said, expected) in of_backend {
        check(
            TestEnd::Exited(70),
            &format!("fatal error: error in backend: {said}\nPLEASE submit a bug report to\n"),
            &format!("LLVM backend: {expected} (exit code 70)"),
        );
    }
    check(
        SEGV,
        "a.cc:1:1: error: no\nfatal error: too many errors emitted, stopping now [-ferror-limit=]\n\
         PLEASE submit a bug report to https://x/\nStack dump:\n0.\tProgram arguments: clang\n \
         #0 0x1 llvm::sys::PrintStackTrace(llvm::raw_ostream&, int) (/a+0x1)\n \
         #4 0x3 clang::Sema::Act(int) (/a+0x3)\n",
        "crash in clang::Sema::Act (SIGSEGV)",
    );
    check(
        ONE,
        "error: ran out of registers during register allocation\n6 errors generated.\n",
        "error: ran out of registers during register allocation (exit code 1)",
    );
    check(
        SEGV,
        "PLEASE submit a bug report to https://github.com/llvm/llvm-project/issues/\nStack dump:\n\
         0.\tProgram arguments: clang-14 -w -fsyntax-only input.c\n1.\tinput.c:752:16: current parser\n\
         Stack dump without symbol names (ensure you have llvm-symbolizer in your PATH):\n\
         /lib/libLLVM-14.so.1(_ZN4llvm3sys15PrintStackTraceERNS_11raw_ostreamEi+0x31)[0x7f74ff4a5291]\n\
         /lib/libLLVM-14.so.1(_ZN4llvm3sys17RunSignalHandlersEv+0xee)[0x7f74ff4a2fbe]\n\
         /lib/libLLVM-14.so.1(+0xdcb83f)[0x7f74ff3cb83f]\n\
         /lib/x86_64-linux-gnu/libc.so.6(+0x3c050)[0x7f74fe05a050]\n\
         /lib/x86_64-linux-gnu/libc.so.6(+0x16da82)[0x7f74fe18ba82]\n\
         /lib/libclang-cpp.so.14(_ZNK5clang4Expr22getIntegerConstantExprERKNS_10ASTContextEb+0x358)[0x7f]\n\
         /lib/libclang-cpp.so.14(+0x11f200a)[0x7f75061f200a]\n\
         /lib/libclang-cpp.so.14(+0x120a0a7)[0x7f750620a0a7]\n",
        "crash in clang::Expr::getIntegerConstantExpr < libclang-cpp.so.14+0x11f200a < \
         libclang-cpp.so.14+0x120a0a7 (SIGSEGV)",
    );
    check(
        TestEnd::Signaled(6),
        "clang: /b/llvm/include/llvm/Support/Casting.h:269: typename cast_retty<X, Y *>::ret_type \
         llvm::cast(Y *): Assertion `isa<X>(Val) && \"cast<Ty>() argument of incompatible type!\"' \
         failed.\nPLEASE submit a bug report\n #0 0x000055 llvm::sys::PrintStackTrace(x) f.cpp:1:2\n",
        "assertion: isa<X>(Val) && \"cast<Ty>() argument of incompatible type!\" (SIGABRT)",
    );
    check(
        TestEnd::Signaled(6),
        "Unknown type!\nUNREACHABLE executed at /b/llvm/lib/CodeGen/ValueTypes.cpp:567!\n",
        "unreachable: Unknown type! (SIGABRT)",
    );
}

#[test]
fn sanitizers() {
    check(
        ONE,
        "=================================================================\n\
         ==17835==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x602000000019 at pc 0x55\n\
         READ of size 1 at 0x602000000019 thread T0\n    \
         #0 0x55b9662c41d0 in use /tmp/logs/as.c:3\n    \
         #1 0x55b9662c4211 in main /tmp/logs/as.c:4\n    \
         #2 0x7f053de45249 in __libc_start_call_main ../sysdeps/nptl/libc_start_call_main.h:58\n    \
         #4 0x55b9662c40c0 in _start (/tmp/logs/as+0x10c0)\n\n\
         0x602000000019 is located 5 bytes to the right of 4-byte region\nallocated by thread T0:\n    \
         #0 0x7f053e0b89cf in __interceptor_malloc ../../../../src/libsanitizer/asan.cpp:69\n",
        "sanitizer: AddressSanitizer heap-buffer-overflow READ in use < main (exit code 1)",
    );
    check(
        TestEnd::Exited(0),
        "ub.c:1:58: runtime error: signed integer overflow: 2147483647 + 1 cannot be represented \
         in type 'int'\n",
        "sanitizer: runtime error signed integer overflow: N + N cannot be represented in type \
         '…' (exit code 0)",
    );
}

#[test]
fn c_library() {
    check(
        TestEnd::Signaled(6),
        "st: st.c:4: main: Assertion `c < 2 && \"too many\"' failed.\n",
        "assertion: c < 2 && \"too many\" (SIGABRT)",
    );
    check(
        TestEnd::Signaled(6),
        "*** stack smashing detected ***: terminated\n",
        "abort: *** stack smashing detected *** (SIGABRT)",
    );
    check(
        TestEnd::Signaled(6),
        "free(): double free detected in tcache 2\n",
        "abort: free(): double free detected in tcache 2 (SIGABRT)",
    );
}

#[test]
fn rust() {
    check(
        TestEnd::Exited(101),
        "\nthread 'main' (17912) panicked at p.rs:1:39:\n\
         index out of bounds: the len is 3 but the index is 6\nstack backtrace:\n   \
         0: __rustc::rust_begin_unwind\n             at /rustc/59/library/std/src/panicking.rs:689:5\n   \
         1: core::panicking::panic_fmt\n   2: core::panicking::panic_bounds_check\n   \
         3: p::deep\n             at ./p.rs:1:39\n   4: p::main\n   \
         5: core::ops::function::FnOnce::call_once\n",
        "Rust panic: index out of bounds: the len is N but the index is N in p::deep < p::main \
         (exit code 101)",
    );
    check(
        TestEnd::Exited(101),
        "error: internal compiler error: unexpected const parent in type_of(): Item(`a`)\n",
        "rustc ICE: unexpected const parent in type_of(): Item('…') (exit code 101)",
    );
}

#[test]
fn exceptions() {
    check(
        ONE,
        "Traceback (most recent call last):\n  File \"/tmp/logs/p.py\", line 4, in <module>\n    \
         inner(\"{a}\")\n  File \"/tmp/logs/p.py\", line 3, in inner\n    return json.loads(x)\n           \
         ^^^^^\n  File \"/lib/json/decoder.py\", line 353, in raw_decode\n    obj = scan(s)\n\
         json.decoder.JSONDecodeError: Expecting property name: line 1 column 2 (char 1)\n",
        "Python exception: json.decoder.JSONDecodeError: Expecting property name: line N column N \
         (char N) in raw_decode < inner (exit code 1)",
    );
    check(
        ONE,
        "  File \"/tmp/logs/p.py\", line 2\n    x\n    ^\nIndentationError: expected an indented block\n",
        "Python exception: IndentationError: expected an indented block (exit code 1)",
    );
    check(
        ONE,
        "/tmp/logs/p.js:1\nfunction inner(o){ return o.missing.field; }\n\n\
         TypeError: Cannot read properties of undefined (reading 'field')\n    \
         at inner (/tmp/logs/p.js:1:37)\n    at outer (/tmp/logs/p.js:2:26)\n    \
         at Object.<anonymous> (/tmp/logs/p.js:3:1)\n    at Module._compile (node:internal:1:1)\n",
        "JavaScript exception: TypeError: Cannot read properties of undefined (reading '…') in \
         inner < outer (exit code 1)",
    );
    // The message quotes the input; the line of the program above it does not count.
    let quoted = "<p>\n".repeat(3_000);
    check(
        ONE,
        &format!(
            "/p.js:1\n  throw new Error('Parse Error: ' + html);\n  ^\n\nError: Parse Error: <!-\n\
             {quoted}    at parse (/p.js:1:37)\n"
        ),
        "JavaScript exception: Error: Parse Error: <!- in parse (exit code 1)",
    );
    check(
        ONE,
        "Exception in thread \"main\" java.lang.IllegalStateException: bad 7\n\tat P.main(P.java:1)\n\
         Caused by: java.lang.NullPointerException: Cannot invoke\n\tat P.f(P.java:1)\n",
        "Java exception: java.lang.IllegalStateException in P.main < P.f (exit code 1)",
    );
}

#[test]
fn failed_tests_of_frameworks() {
    for (output, expected) in [
        (
            "---- evicts stdout ----\n\nthread 'evicts' (7) panicked at src/lib.rs:3:19:\n\
             assertion `left == right` failed\n  left: 3\n right: 2\nnote: run with\n",
            "failed test: evicts assertion `left == right` failed left: 3 right: 2 (exit code 1)",
        ),
        (
            "not ok 1 - discount\n  ---\n  duration_ms: 1.7\n  location: '/p/t.js:4:1'\n  \
             error: '-900 == 90'\n  expected: 90\n  actual: -900\n  ...\n",
            "failed test: discount expected: 90 actual: -900 (exit code 1)",
        ),
        (
            "FAIL: test_x (t.T.test_x)\n----\nTraceback (most recent call last):\n  File \"t.py\", line 5, \
             in test_x\n    self.assertEqual(f(), 2)\nAssertionError: 3 != 2\n",
            "failed test: test_x AssertionError: 3 != 2 (exit code 1)",
        ),
        (
            "--- FAIL: TestKept (0.00s)\n    kv_test.go:5: got 3, want 2\nFAIL\n",
            "failed test: TestKept got 3, want 2 (exit code 1)",
        ),
        (
            "[ERROR] Failures: \n[ERROR]   KvTest.kept:12 expected: <2> but was: <3>\n",
            "failed test: KvTest.kept expected: <2> but was: <3> (exit code 1)",
        ),
        (
            "kv.cpp:10: FAILED:\n  CHECK( kept() == 2 )\nwith expansion:\n  3 == 2\n\n",
            "failed test: CHECK( kept() == 2 ) 3 == 2 (exit code 1)",
        ),
        (
            "kv.cc:10: Failure\nExpected equality of these values:\n  kept()\n    Which is: 3\n  2\n\n\
             [  FAILED  ] Kv.Evicts (0 ms)\n",
            "failed test: Expected equality of these values: kept() Which is: 3 2 Kv.Evicts (exit code 1)",
        ),
        (
            "The following tests FAILED:\n\t  2 - kv_evicts (Failed)\nErrors while running CTest\n",
            "failed test: kv_evicts (Failed) (exit code 1)",
        ),
        (
            "sh ./t.sh\nmake: *** [Makefile:4: check] Error 1\n",
            "make: [Makefile:4: check] Error 1 (exit code 1)",
        ),
        (
            "Error: <stdin>: syntax error in line 1 near 'x'\n",
            "error: <…>: syntax error in line N near '…' (exit code 1)",
        ),
        (
            "a.py:3:1: F401 'os' imported but unused\n",
            "message: F401 '…' imported but unused (exit code 1)",
        ),
        ("error: 'x'\n", "failure (exit code 1)"),
        (
            "Traceback (most recent call last):\n  File \"a.py\", line 2, in f\n    g()\nKeyError: 'a'\n\n\
             During handling of the above exception, another exception occurred:\n\n\
             Traceback (most recent call last):\n  File \"a.py\", line 4, in h\n    raise X\nValueError: no\n",
            "Python exception: ValueError: no in h (exit code 1)",
        ),
        (
            "____ test_total ____\n\n    def test_total(cart):\n>       cart.total()\n\n\
             shop/currency.py:11: NameError\nE       NameError: name 'RATE' is not defined\n\
             FAILED tests/test_cart.py::test_total\n",
            "failed test: test_total NameError: name 'RATE' is not defined (exit code 1)",
        ),
        (
            ">       assert f() == 2\nE       assert 1 == 2\nE        +  where 1 = f()\n",
            "failed test: assert 1 == 2 (exit code 1)",
        ),
        (
            "  ● sums › adds\n\n    expect(received).toBe(expected) // Object.is equality\n",
            "failed test: expect(received).toBe(expected) (exit code 1)",
        ),
        (
            "  ● sums › adds\n\n    TypeError: x is not a function\n",
            "failed test: TypeError: x is not a function (exit code 1)",
        ),
        (
            "--- FAIL: TestSum (0.00s)\n    sum_test.go:7: 3\nFAIL\n",
            "failed test: TestSum 3 (exit code 1)",
        ),
    ] {
        check(ONE, output, expected);
    }
}

#[test]
fn browsers_and_debuggers() {
    check(
        TestEnd::Signaled(6),
        "[1:1:0101/1.1:FATAL:layout_box.cc(123)] Check failed: IsBox(). \n\
         #0 0x5581 base::debug::CollectStackTrace()\n#1 0x5582 logging::LogMessage::~LogMessage()\n\
         #2 0x5583 blink::LayoutBox::Foo()\n",
        "assertion: layout_box.cc Check failed: IsBox(). (SIGABRT)",
    );
    check(
        SEGV,
        "Assertion failure: !mFrame (bad), at /b/layout/Frame.cpp:12\n#01: mozilla::Foo[lib +0x1]\n",
        "assertion: !mFrame (bad) (SIGSEGV)",
    );
    check(
        TestEnd::Signaled(5),
        "#\n# Fatal error in ../../src/objects.cc, line 77\n# Debug check failed: x->IsSmi().\n#\n",
        "assertion: Debug check failed: x->IsSmi(). (SIGTRAP)",
    );
    check(
        TestEnd::Exited(0),
        "Program received signal SIGSEGV, Segmentation fault.\n\
         0x00007ffff7f3c1a0 in prvTidyRemoveNode () from /lib/libtidy.so.58\n\
         #0  0x00007ffff7f3c1a0 in prvTidyRemoveNode () from /lib/libtidy.so.58\n\
         #1  0x00007ffff7f3c300 in prvTidyDiscardElement () from /lib/libtidy.so.58\n\
         #2  0x00007ffff7f49d12 in ?? () from /lib/libtidy.so.58\n",
        "crash: SIGSEGV in prvTidyRemoveNode < prvTidyDiscardElement (exit code 0)",
    );
    check(
        ONE,
        "input.c:2612: error 9: FATAL Compiler Internal Error in file 'SDCCsymt.c' line number \
         '2235' : (IS_CHAR (etype1))\nContact Author with source code\n",
        "crash: Compiler Internal Error in file '…' line number '…' : (IS_CHAR (etype1)) (exit code 1)",
    );
}

#[test]
fn fewer_frames_are_less_precise() {
    let log =
        b"==1==ERROR: AddressSanitizer: SEGV on 0x0\n #0 0x1 in a f.c:1\n #1 0x2 in b f.c:2\n";
    let other =
        b"==9==ERROR: AddressSanitizer: SEGV on 0x7\n #0 0x3 in a f.c:8\n #1 0x2 in c f.c:2\n";
    let same = |frames| {
        let signatures = Signatures::new(frames, None);
        signatures.of(ONE, b"", log) == signatures.of(ONE, b"", other)
    };
    assert_eq!([0, 1, 2, 3].map(same), [true, true, false, false]);
}

#[test]
fn frames_that_depend_on_the_processor_or_have_no_name_do_not_count() {
    let stack = |memory: &str, address: &str| {
        format!(
            "clang: internal error\n#4 0x00007f74fe05a050 {memory}\n\
             #5 0x00007f74ff3cb83f clang::Expr::EvaluateKnownConstInt (/lib/libclang-cpp.so.14+0x1)\n\
             #6 0x00007f74ff3cb840 (/lib/libclang-cpp.so.14+{address})\n\
             #7 0x00007f74ff3cb841 clang::Sema::Check (/lib/libclang-cpp.so.14+0x3)\n"
        )
    };
    let of =
        |text: String| Signatures::new(3, None).of(TestEnd::Signaled(11), b"", text.as_bytes());
    let signature = of(stack("__memcpy_avx512_unaligned_erms", "0xd16c24")).unwrap();
    assert_eq!(signature.frames, ["clang::Expr::EvaluateKnownConstInt", "clang::Sema::Check"]);
    assert_eq!(of(stack("__memmove_sse2_unaligned", "0xd16c99")).unwrap(), signature);
}

#[test]
fn what_differs_between_two_runs_belongs_to_no_signature() {
    let signatures = Signatures::new(3, None);
    let of = |name: &str| {
        let text = format!("error: cannot format {name}: it is broken");
        signatures.of(ONE, b"", text.as_bytes()).unwrap()
    };
    let mut learnt = of("tmpabc");
    learnt.without_differences(&of("tmpxyz"));
    assert_eq!(learnt.to_string(), "error: cannot format […] it is broken (exit code 1)");
    assert!(learnt.is_shown_by(&of("tmpuvw")) && !learnt.is_shown_by(&of("a b")));
    let mut again = of("tmpqrs");
    again.pin(&learnt.to_string());
    assert_eq!(again, learnt);
}

#[test]
fn mangled_names_are_read() {
    for (mangled, whole, bare) in [
        ("_ZN3foo6detail3barEv", "foo::detail::bar", "foo::detail::bar"),
        ("_ZN1a7json_v21bIiE1cEi", "a::json_v2::b<int>::c", "a::json_v2::b::c"),
        ("_ZNK1aIiEltEi", "a<int>::operator<", "a::operator<"),
        ("_ZNK1aptEv", "a::operator->", "a::operator->"),
        ("_ZlsIiEvRSoT_", "operator<< <int>", "operator<< "),
        ("_Z1fB5cxx11v", "f[abi:cxx11]", "f[abi:cxx11]"),
        ("_ZN4core3fmt5write17h0123456789abcdefE", "core::fmt::write", "core::fmt::write"),
        ("_RNvC6_123foo3bar", "123foo::bar", "123foo::bar"),
    ] {
        let found = demangled(mangled).unwrap_or_default();
        assert_eq!((&*found, &*without_arguments(&found)), (whole, bare));
    }
    for other in ["main", "_start", "Z1f", "_Zebra!", ""] {
        assert_eq!(demangled(other), None);
    }
}
