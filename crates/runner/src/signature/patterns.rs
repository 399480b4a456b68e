//! The messages of failing programs, as data: one table, in which the first entry that matches
//! wins.

/// The parts of a message that are blanked before it is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Text {
    /// Only addresses, places in files and process ids: an assertion's text is the program's own.
    Exact,
    /// Names in quotes and numbers too: they come from the input, which changes.
    Loose,
}

/// One way to fail.
#[derive(Debug)]
pub(crate) struct FailurePattern {
    /// The name that users see.
    pub kind: &'static str,
    /// A multi-line regular expression; the groups of it that match, joined, are the message.
    pub pattern: &'static str,
    pub text: Text,
    /// Whether stack frames are needed to tell one such failure from another.
    pub frames: bool,
    /// Whether this is a failure even if the program ends with exit code 0, and worth keeping in a
    /// search for another one.
    pub crash: bool,
}

const fn crash(
    kind: &'static str,
    pattern: &'static str,
    text: Text,
    frames: bool,
) -> FailurePattern {
    FailurePattern { kind, pattern, text, frames, crash: true }
}

/// A test of a framework: names and values are its own.
const fn failed(pattern: &'static str) -> FailurePattern {
    crash("failed test", pattern, Text::Exact, false)
}

const fn complaint(kind: &'static str, pattern: &'static str, text: Text) -> FailurePattern {
    FailurePattern { kind, pattern, text, frames: false, crash: false }
}

pub(crate) const PATTERNS: &[FailurePattern] = &[
    // rustc, before the panic that it comes with.
    crash("rustc ICE", r"^error: internal compiler error: (.+)$", Text::Loose, true),
    // GCC since 2.95; `in FUNCTION, at FILE:LINE`, or the signal that it got.
    crash("GCC ICE", r"internal compiler error: in ([\w:~<>., ]+?), at", Text::Exact, false),
    crash("GCC ICE", r"^\S+:(?:\d+:)* internal compiler error: (.+)$", Text::Loose, true),
    // LLVM: the operation that no pattern covers says more than its operands.
    crash(
        "LLVM backend",
        r"(?:error in backend|LLVM ERROR): (Cannot select): [^=\n]*= ([\w:]+)",
        Text::Exact,
        false,
    ),
    // The same in GlobalISel, whose operands can be symbols of the input; some instructions have no
    // result.
    crash(
        "LLVM backend",
        r"(?:error in backend|LLVM ERROR): (cannot select|unable to [a-z ]+): (?:(G_\w+)|[^=\n]*= (G_\w+))",
        Text::Exact,
        false,
    ),
    crash(
        "LLVM backend",
        r"(?:error in backend|LLVM ERROR): (.+?)(?: \(in function: .*)?$",
        Text::Loose,
        false,
    ),
    crash("unreachable", r"^(.*)\nUNREACHABLE executed at", Text::Exact, false),
    crash("unreachable", r"(UNREACHABLE executed) at", Text::Exact, true),
    // Sanitizers of compiler-rt and GCC.
    crash(
        "sanitizer",
        r"(?:ERROR|WARNING): (\w+Sanitizer): (detected memory leaks|attempting [\w-]+(?: [\w-]+)?|data race|[\w-]+)(?:.*\n(?:==\d+==The signal is caused by a )?(READ|WRITE)\b)?",
        Text::Exact,
        true,
    ),
    crash("sanitizer", r"^\S*(?:[:(]\d+\)?|>): (runtime error): (.+)$", Text::Loose, false),
    // assert() of glibc, musl and macOS; Chromium; V8; Gecko.
    crash("assertion", r"(?:: |^)(?:[^:\n]*: )?Assertion [`'](.+)' failed", Text::Exact, false),
    crash("assertion", r"Assertion failed: (.+?)(?: \(|, function|, file|$)", Text::Exact, false),
    crash(
        "assertion",
        r"^\[.*:FATAL:([\w./-]+?)(?:\(\d+\)|:\d+)\] (.+?)(?: \([^()\n]* vs\. [^()\n]*\))?\s*$",
        Text::Exact,
        false,
    ),
    crash("assertion", r"^# Fatal error in .*\n# (.+)$", Text::Exact, false),
    crash("assertion", r"Assertion failure: (.+?)(?:, at .*)?$", Text::Exact, false),
    crash("assertion", r"Hit MOZ_CRASH\((.*)\) at", Text::Loose, false),
    // glibc and libstdc++ before abort().
    crash("abort", r"(\*\*\* .+ \*\*\*)", Text::Exact, true),
    crash(
        "abort",
        r"^((?:free|malloc|realloc|calloc|munmap_chunk|double free or corruption|malloc_consolidate|corrupted (?:size|double-linked))\b.*)$",
        Text::Exact,
        true,
    ),
    crash("abort", r"(terminate called .*)$", Text::Exact, true),
    // V8 and others that give up.
    crash("abort", r"^FATAL ERROR: (.+)$", Text::Loose, true),
    // Valgrind: what it says first of all.
    crash(
        "valgrind",
        r"^==\d+== ((?:Invalid (?:read|write|free)|Conditional jump|Use of uninit|Jump to the invalid|Mismatched free|Syscall param|Source and destination|Process terminating with).*)$",
        Text::Exact,
        true,
    ),
    // Frameworks of tests: which test failed, and how. Values count, expected and actual ones.
    // Rust's, and `assert_eq!` anywhere.
    failed(
        r"^---- (\S+) stdout ----\n(?:.*\n){0,3}?.*panicked at .*:\n(assertion .*)\n +(left: .*)\n *(right: .*)$",
    ),
    failed(r"^---- (\S+) stdout ----\n(?:.*\n){0,3}?.*panicked at .*:\n(assertion .*)$"),
    crash(
        "Rust panic",
        r"panicked at .*:\n(assertion .*)\n +(left: .*)\n *(right: .*)$",
        Text::Exact,
        true,
    ),
    // TAP, as Node writes it, too.
    failed(r"^ *not ok \d+ (?:- )?(.+)\n +---\n(?: .*\n)*? +(expected: .*)\n +(actual: .*)$"),
    failed(
        r"^ *not ok \d+ (?:- )?(.+)\n +---\n(?: .*\n)*? +(?:error|message): (?:[|>]-\n +)?(.+)$",
    ),
    failed(r"^ *not ok \d+ (?:- )?(\S.*)$"),
    failed(r"^✖ (.+?) \([\d.]+ms\)\n +(\w*Error)(?: \[\w+\])?(: .*)\n(?:\s*\n)? *(.+ [!=]==? .+)$"),
    failed(r"^✖ (.+?) \([\d.]+ms\)\n +(\w*Error)(?: \[\w+\])?(: .*)$"),
    // Jest and its kin.
    failed(r"^ +● (.+)\n\n +(expect\(.*)\n(?:.*\n)*? +(Expected\b.*: .*)\n +(Received\b.*: .*)$"),
    // pytest, unittest.
    failed(r"^_{2,} (\S+) _{2,}\n(?:.*\n)*?E  +(assert .*)$"),
    failed(r"^_{2,} (\S+) _{2,}\n(?:.*\n)*?E  +(\w*Error\b.*)$"),
    failed(
        r"^(?:FAIL|ERROR): (\S+) .*\n(?:.*\n)?-+\nTraceback \(most recent call last\):\n(?:[ \t].*\n|\n)+(AssertionError\b.*)$",
    ),
    // Go.
    failed(r"^ *--- FAIL: (\S+) \(.*\)\n +\S+\.go:\d+: (.*)$"),
    // JUnit, as Maven writes it, and by its exceptions.
    failed(r"^(?:\[ERROR\])? +([\w.$]+[.:]\w+):\d+(?:->\S+)* (.*expected: ?<.*> but was: ?<.*>)"),
    failed(
        r"\b(?:AssertionFailedError|ComparisonFailure|AssertionError): (.*expected: ?<.*> but was: ?<.*>)",
    ),
    // Catch2, googletest.
    failed(r"^\S+:\d+: FAILED:\n +(\w+\(.*\))\n(?:with expansion:\n +(.+)$)?"),
    failed(r"^\S+:\d+: Failure\n((?:.+\n)+)(?:.*\n)*?\[  FAILED  \] ([^\s,]+)"),
    // Languages with exceptions.
    crash("Rust panic", r"panicked at (?:[^'\n]*:\n|')([^'\n]+)", Text::Loose, true),
    // Compilers say `fatal error` for much else; only Go's runtime lists goroutines after it.
    crash(
        "Go panic",
        r"^(?:panic: (.+)$|fatal error: (.+)\n(?:.*\n)*?(?:goroutine \d+ \[|runtime stack:))",
        Text::Loose,
        true,
    ),
    crash("Java exception", r#"Exception in thread "[^"]*" ([\w.$]+)"#, Text::Exact, true),
    crash(
        "Python exception",
        // Of several for one failure, the last says why nobody handled it.
        r"(?x)^(?:Traceback\ \(most\ recent\ call\ last\):\n(?:[\ \t].*\n|\n)+[\w.]+(?::\ .*)?\n(?:.*\n)*?
            (?:During\ handling\ of\ the\ above\ exception,\ another\ exception\ occurred
            |The\ above\ exception\ was\ the\ direct\ cause\ of\ the\ following\ exception):\n\n)*
            Traceback\ \(most\ recent\ call\ last\):\n(?:[\ \t].*\n|\n)+([\w.]+)(:\ .*)?$",
        Text::Loose,
        true,
    ),
    crash("Ruby exception", r"^\S+\.rb:\d+:in ['`][^'\n]+': (.+) \(([\w:]+)\)$", Text::Loose, true),
    crash(
        "PHP error",
        r"^(?:PHP )?Fatal error: +(?:Uncaught )?(.+?)(?:, called in .*| in \S+(?::\d+| on line \d+))?$",
        Text::Loose,
        true,
    ),
    crash("Lua error", r"^lua[\w.]*: \S+:\d+: (.+)$", Text::Loose, true),
    crash(
        "JavaScript exception",
        r"^(?:Uncaught )?(\w+Error)(?: \[\w+\])?(: .+)$",
        Text::Loose,
        true,
    ),
    crash(
        "JavaScript exception",
        r"^(?:Uncaught )?(Error)(?: \[\w+\])?(: .+)\n(?:.*\n){0,5}? +at ",
        Text::Loose,
        true,
    ),
    // Frameworks of tests in other forms.
    crash("Python exception", r"^E  +([A-Za-z_][\w.]*)(: .*)?$", Text::Loose, false),
    failed(r"^E  +(assert .*)$"),
    crash("failed test", r"^ +(\w*Error)(?: \[\w+\])?(: .+)$", Text::Loose, false),
    failed(r"^ +(expect\(\w*\)\S*)"),
    failed(r"^ *--- FAIL: (\S+)"),
    failed(r"^The following tests FAILED:\n\s+\d+ - (.+ \(.+\))"),
    // Messages of debuggers and crash handlers.
    crash("crash", r"Program received signal (SIG\w+)", Text::Exact, true),
    crash(
        "crash",
        r"(?i)((?:fatal |compiler )?internal (?:compiler )?error\b.*)$",
        Text::Loose,
        true,
    ),
    crash("crash", r"^(?:PLEASE submit a bug report|Stack dump:)()", Text::Exact, true),
    crash(
        "crash",
        r"(Segmentation fault|Bus error|Illegal instruction|Floating point exception)",
        Text::Exact,
        true,
    ),
    // A linker: that it has returned is said after what it says itself.
    complaint(
        "linker",
        r"\b((?:undefined reference to|multiple definition of) .+?|cannot find -l\S+?)(?:[:;] .*)?$",
        Text::Loose,
    ),
    // Nothing crashed, but the program complains.
    complaint("error", r"(?i)\b(?:fatal )?error\b[^:\n]*: *(.+)$", Text::Loose),
    // Linters: a place and a code.
    complaint("message", r"^[^\s:][^:\n]*:\d+(?::\d+)?:? +([A-Z]{1,5}\d{1,5}\b.*)$", Text::Loose),
    complaint("make", r"^\S*make(?:\[\d+\])?: \*\*\* (\[.+\] Error \d+)", Text::Exact),
];

/// The end of a stack that is written first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    InnermostFirst,
    InnermostLast,
}

/// Lines of stacks: multi-line expressions whose groups that match, joined by `+`, name a function.
pub(crate) const FRAMES: &[(&str, Order)] = &[
    // PHP: `#0 a.php(3): f()`.
    (r"^#\d+ \S+\(\d+\): ([^\s(]+)\(", Order::InnermostFirst),
    // Sanitizers, gdb, LLVM with symbols: `#1 0x12 in f(int) file`, `#1  f () from lib`.
    (
        r"^\s*#\d+\s+(?:0x[0-9a-f]+ )?(?:in )?([A-Za-z_~][^\s(]*|\(anonymous[^\n(]*)",
        Order::InnermostFirst,
    ),
    (r"^\s*#\d+\s+0x[0-9a-f]+ \(?(?:[^\s()]*/)?([^\s()/]+\+0x[0-9a-f]+)", Order::InnermostFirst),
    // backtrace_symbols(): `lib.so(function+0x12)[0x34]`, `lib.so(+0x12)[0x34]`.
    (r"^(?:[^\s()]*/)?[^\s()/]+\(([^\s()+]+)\+0x[0-9a-f]+\) ?\[0x", Order::InnermostFirst),
    (r"^(?:[^\s()]*/)?([^\s()/]+)\((\+0x[0-9a-f]+)\) ?\[0x", Order::InnermostFirst),
    // GCC: `0x12 f(tree)` and the file on the next line.
    (r"^0x[0-9a-f]+ ([^\s(]+)(?:\(.*)?$", Order::InnermostFirst),
    // Rust: `   3: crate::function`.
    (r"^\s+\d+: (?:0x[0-9a-f]+ - )?([^\s(]+)", Order::InnermostFirst),
    // Java and JavaScript: `at f (file:1:2)`.
    (r"^\s+at (?:async |new )*([\w.$<>/]+)(?: \[as \w+\])? ?\(", Order::InnermostFirst),
    // Gecko and Chromium: `#01: f[lib +0x12]`.
    (r"^#\d+: ([^\s\[(]+)", Order::InnermostFirst),
    (r#"^\s+File "[^"\n]*", line \d+, in (\S+)"#, Order::InnermostLast),
    // Go: `main.(*T).f(0x1, {0x2, 0x3})` and the file on the next line.
    (r"^((?:[\w.-]+/)*\w+\.(?:\(\*?\w+\)\.)?\w[\w.]*)\((?:[\w,. {}?]*)\)$", Order::InnermostFirst),
    // Ruby: `from a.rb:3:in 'Object#f'`; Lua: `in function 'f'`; valgrind: `by 0x1: f (a.c:3)`.
    (r"^\s*(?:from )?\S+\.rb:\d+:in ['`]([^']+)'", Order::InnermostFirst),
    (
        r"^\s+\S+: in (?:function|local|upvalue|method|field) ['<]([^'>]+)['>]",
        Order::InnermostFirst,
    ),
    (r"^==\d+==\s+(?:at|by) 0x[0-9A-F]+: ([^\s(]+)", Order::InnermostFirst),
];

/// The name of a file and a line in it, as stacks write them.
pub(crate) const PLACE: &str = r#"([\w+-]+\.[\w.]*\w)(?:", line |:|\()(\d+)"#;

/// Lines with which another stack begins.
pub(crate) const BEGINNING: &str = r"(?x)^(?:
    Traceback\ \(most | goroutine\ \d+\ \[ | Exception\ in\ thread | thread\ '
    | \s*\#0+:?\ | \s+0:\ | ==\d+==\s+at\ 0x
)";

/// Functions between the failure and its report: the stack of the failure begins after the last
/// one.
pub(crate) const REPORTING: &str = r"(?x)^(?:
    _*(?:GI_)*_*(?:raise|abort|gsignal|kill|pthread_kill\w*|assert_fail\w*|restore_rt|sigaction)\b
    | libc\.so | libpthread | __libc_message | __fortify_fail | __stack_chk_fail | malloc_printerr
    | __(?:asan|ubsan|msan|tsan|sanitizer|interceptor|interception)\w* | __interceptor_\w+
    | (?:llvm::)?(?:sys::(?:PrintStackTrace|RunSignalHandlers|CleanupOnSignal|Process::Exit)
        | report_fatal_error | llvm_unreachable_internal) | SignalHandler | CrashRecoverySignalHandler
    | crash_signal | internal_error | fancy_abort | diagnostic_\w+
    | __rustc::rust_begin_unwind | rust_begin_unwind | (?:std|core)::(?:panicking|sys|rt)\b.*
    | std::(?:__)?terminate | __gnu_cxx::\w+ | _Unwind_\w+ | __cxa_\w+ | runtime\.(?:throw|gopanic)
    | V8_Fatal | logging::LogMessage.* | base::debug::\w+.*
)";

/// Functions around every program: never part of a signature.
pub(crate) const AROUND: &str = r"(?x)^(?:
    in | _start | __libc_start\w* | libc\.so.* | clone\d? | start_thread | __rust_\w+
    | core::ops::function::.* | std::rt::.* | Module\._\w+ | Object\.<anonymous> | node:.*
    | java\.base/.* | <module>
    # The C library has one of them for each kind of processor.
    | _*(?:mem|str|stp|wcs|wmem)\w*_(?:sse\d*|ssse\d|avx\w*|evex\w*|erms|generic|unaligned\w*|neon|sve\w*)
)$";
