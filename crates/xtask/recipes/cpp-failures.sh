#!/bin/sh
# Makes fifteen C++ failures of compilers from Debian bookworm on its own headers, each in DIR/NAME with a test.
# Usage: cpp-failures.sh DIR
# Needs: apt-get install g++-11 g++-12 clang-14 clang-16 clang-19 libboost-dev nlohmann-json3-dev catch2 libcereal-dev rapidjson-dev
set -eu
mkdir -p "$1"
cd "$1"

# case NAME PATTERN COMPILER FLAGS, with the program on standard input
case_of() {
  name=$1 pattern=$2 compiler=$3
  shift 3
  mkdir -p "$name"
  cat > "$name/main.cc"
  standard=$(printf '%s\n' "$@" | grep '^-std=')
  (cd "$name" && "$compiler" -E "$standard" main.cc -o input.cc)
  cat > "$name/test.sh" <<EOF
#!/bin/sh
ulimit -c 0; ulimit -t 40
export LC_ALL=C TMPDIR=. LLVM_DISABLE_SYMBOLIZATION=1
timeout -k 1 60 $compiler -w $* -S -o out.s input.cc >err.log 2>&1 </dev/null
rc=\$?
[ \$rc -ne 0 ] && [ \$rc -ne 124 ] && [ \$rc -ne 137 ] && grep -aEq '$pattern' err.log && ! grep -aEq ':[0-9]+: error: ' err.log
EOF
  finish "$name"
}

# finish NAME: writes what `cargo xtask scores` wants beside a test, which must reproduce.
finish() {
  echo '{ "file": "input.cc", "lang": "cpp" }' > "$1/case.json"
  chmod +x "$1/test.sh"
  if (cd "$1" && ./test.sh); then echo "$1"; else echo "$1 does not fail" >&2; fi
}

case_of gxx11-godump-interval 'internal compiler error: Segmentation fault' \
  g++-11 -std=c++17 -fdump-go-spec=out.go <<'EOF'
#include <boost/numeric/interval.hpp>
int main(int c, char **) { boost::numeric::interval<double> a(c, c + 1); a = a * a; return (int)a.lower(); }
EOF

case_of gxx11-godump-ranges 'internal compiler error: Segmentation fault' \
  g++-11 -std=c++20 -fdump-go-spec=out.go <<'EOF'
#include <ranges>
#include <algorithm>
#include <vector>
#include <concepts>
template <std::integral T> struct A { T t; auto operator<=>(const A &) const = default; };
int main(int c, char **v) {
  std::vector<A<int>> a{{1}, {c}};
  auto r = a | std::views::transform([](auto x) { return x.t; }) | std::views::filter([](int x) { return x > 0; });
  int s = 0;
  for (int x : r) s += x;
  std::ranges::sort(a);
  return s;
}
EOF

coroutine='#include <coroutine>
#include <vector>
#include <string>
struct G {
  struct promise_type {
    int v;
    G get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void unhandled_exception() {}
    std::suspend_always yield_value(int x) { v = x; return {}; }
    void return_void() {}
  };
  std::coroutine_handle<promise_type> h;
};
G f(std::vector<std::string> a) { for (auto &s : a) co_yield s.size(); }
int main(int c, char **v) { auto g = f({v[0]}); g.h.resume(); return g.h.promise().v; }'

printf '%s\n' "$coroutine" | case_of gxx12-godump-coroutine 'internal compiler error: Segmentation fault' \
  g++-12 -std=c++20 -fdump-go-spec=out.go

printf '%s\n' "$coroutine" | case_of clang14-gisel-coroutine 'error in backend: unable to translate instruction: call' \
  clang++-14 -std=c++20 -fno-crash-diagnostics -mllvm -global-isel -O2

case_of clang14-amdgcn-regex 'error in backend: Cannot select: .*= store' \
  clang++-14 -std=c++17 -fno-crash-diagnostics --target=amdgcn -O1 -fno-exceptions <<'EOF'
#include <boost/regex.hpp>
int main(int c, char **v) { boost::regex e("a(b|c)*"); return boost::regex_match(std::string(v[0]), e); }
EOF

case_of clang16-amdgcn-cereal 'error in backend: Cannot select: .*= store' \
  clang++-16 -std=c++17 -fno-crash-diagnostics --target=amdgcn -O1 -fno-exceptions <<'EOF'
#include <cereal/archives/json.hpp>
#include <cereal/types/vector.hpp>
#include <sstream>
int main(int c, char **) {
  std::stringstream s;
  { cereal::JSONOutputArchive a(s); std::vector<int> v{c, 2}; a(v); }
  return s.str().size();
}
EOF

case_of clang16-amdgcn-json 'error in backend: Cannot select: .*= load' \
  clang++-16 -std=c++17 -fno-crash-diagnostics --target=amdgcn -O1 -fno-exceptions <<'EOF'
#include <nlohmann/json.hpp>
int main(int c, char **v) { auto j = nlohmann::json::parse(v[0]); j["a"] = c; return (int)j.dump().size(); }
EOF

case_of clang16-gisel-future 'error in backend: unable to legalize instruction: .*G_ATOMICRMW_ADD' \
  clang++-16 -std=c++17 -fno-crash-diagnostics -mllvm -global-isel -O2 <<'EOF'
#include <thread>
#include <future>
#include <atomic>
#include <mutex>
int main(int c, char **v) {
  std::atomic<int> a{c};
  std::mutex m;
  auto f = std::async([&] { std::lock_guard<std::mutex> l(m); return a + 1; });
  return f.get();
}
EOF

case_of clang16-gisel-catch2 'error in backend: unable to lower arguments' \
  clang++-16 -std=c++17 -fno-crash-diagnostics -mllvm -global-isel -O2 <<'EOF'
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
TEST_CASE("a") { REQUIRE(1 == 1); }
EOF

case_of clang19-gisel-graph 'error in backend: (LLVM ERROR: )?cannot select: ' \
  clang++-19 -std=c++17 -fno-crash-diagnostics -mllvm -global-isel -O0 <<'EOF'
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/dijkstra_shortest_paths.hpp>
int main() { boost::adjacency_list<> g(4); add_edge(0, 1, g); return num_edges(g); }
EOF

printf '%s\n' '#include <rapidjson/document.h>
#include <rapidjson/writer.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/prettywriter.h>
#include <rapidjson/schema.h>
#include <iostream>
#include <string>
int main(int c, char **v) {
  rapidjson::Document d;
  d.Parse(v[0]);
  rapidjson::StringBuffer b;
  rapidjson::Writer<rapidjson::StringBuffer> w(b);
  d.Accept(w);
  std::cout << b.GetString();
  return 0;
}' > rapidjson.cc

case_of clang14-gisel-rapidjson 'error in backend: unable to legalize instruction: .*G_SELECT' \
  clang++-14 -std=c++17 -fno-crash-diagnostics -mllvm -global-isel -O1 < rapidjson.cc
case_of clang16-gisel-rapidjson 'error in backend: unable to legalize instruction: .*G_UMAX' \
  clang++-16 -std=c++17 -fno-crash-diagnostics -mllvm -global-isel -O1 < rapidjson.cc
rm rapidjson.cc

case_of gxx12-lambda-alias 'internal compiler error: in finish_expr_stmt' \
  g++-12 -std=c++20 <<'EOF'
#include <algorithm>
#include <vector>
#include <string>
#include <functional>
#include <iostream>
#include <regex>
#include <map>
template<class T> using Less = decltype([](const T &a, const T &b) { return a < b; });
template<class T> struct S { std::vector<T> v; void sort() { std::sort(v.begin(), v.end(), Less<T>{}); } };
int main() { S<int> s; s.sort(); S<std::string> q; q.sort(); std::cout << q.v.size(); return 0; }
EOF

# A valid program that clang 14 rejects and clang 16 does not: valid_of NAME PATTERN, with the program on standard input
valid_of() {
  mkdir -p "$1"
  cat > "$1/main.cc"
  (cd "$1" && clang++-14 -E -std=c++20 main.cc -o input.cc)
  cat > "$1/test.sh" <<EOF
#!/bin/sh
ulimit -c 0; ulimit -t 40
export LC_ALL=C TMPDIR=.
timeout -k 1 60 clang++-14 -w -std=c++20 -fsyntax-only input.cc >err.log 2>&1 </dev/null && exit 1
grep -aq '$2' err.log && timeout -k 1 60 clang++-16 -w -std=c++20 -fsyntax-only input.cc >err.log 2>&1 </dev/null
EOF
  finish "$1"
}

valid_of clang14-rejects-aggregate 'error: no matching constructor for initialization of' <<'EOF'
#include <memory>
#include <vector>
#include <string>
#include <map>
#include <iostream>
struct P { int a; std::string b; };
int main(int c, char **) {
  auto p = std::make_unique<P>(c, "x");
  std::vector<P> q;
  q.emplace_back(3, "y");
  std::cout << p->b << q[0].a;
  return 0;
}
EOF

valid_of clang14-rejects-ranges 'error: constraints not satisfied for alias template' <<'EOF'
#include <ranges>
#include <vector>
#include <string>
int main(int c, char **) {
  std::vector<int> a{1, 2, c};
  int s = 0;
  for (int x : a | std::views::transform([](int x) { return x * 2; }) | std::views::take(2)) s += x;
  return s;
}
EOF
