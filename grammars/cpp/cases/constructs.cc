/* One of everything that the grammar knows beyond C; it has to compile nowhere. */
#include <vector>
#pragma GCC visibility push(default)
#if VALUE
using under_if = int;
#else
using under_else = int;
#endif

namespace outer { namespace inner { int deep; } inline namespace versioned { } }
namespace outer::inner { int nested; }
namespace { int hidden; }
namespace alias = outer::inner;
using namespace outer;
using outer::inner::deep;
using number = unsigned long;
template <typename T> using list_of = std::vector<T>;
static_assert(sizeof(int) == 4, "size");
static_assert(true);
extern "C++" { int linked(); }

enum class color : unsigned char { red = 1, green };
enum struct shape;
struct forward;
union either { int whole; float part; };

class base {
public:
    base() = default;
    base(const base &) = delete;
    explicit base(int n) noexcept : count(n), other{ 2 } { }
    virtual ~base() { }
    virtual int pure(int) const = 0;
    virtual int plain() const & noexcept;
    operator bool() const { return true; }
    base &operator=(const base &) = default;
    int operator()(int a, int b = 2) const { return a + b; }
    friend class other;
    friend bool operator==(const base &, const base &);
    static inline int shared = 0;
    mutable int count;
    int other : 3;
    using type = int;
    template <class U> U as() const { return U(); }
protected:
    int safe;
private:
    struct { int in; } anonymous;
};

class derived final : public base, private virtual outer::mixin<int> {
    using base::base;
    int pure(int a) const override { return base::plain() + a; }
};

template <typename T, int N = 3, template <typename> class C = list_of, typename... Rest>
struct generic { T data[N]; C<T> more; };
template <> struct generic<int> { };
template <typename T> struct generic<T *, 4> : generic<T> { typedef typename T::type type; };
template <typename T> T maximum(T a, T b) { return a < b ? b : a; }
template <> int maximum<int>(int a, int b) { return a; }
template <typename... A> auto sum(A... all) { return (all + ...); }
template <typename... A> void forward_all(A &&...all) { f(static_cast<A &&>(all)...); }
template <typename T> concept small = sizeof(T) < 4 && requires(T a) { a + a; { a.size() } -> same<int>; typename T::type; };
template <small T> void constrained(T);
template <typename T> requires small<T> && true void also(T);
constexpr auto variable = 3;
template <typename T> constexpr bool is_it = false;
decltype(auto) deduced() { return (variable); }
auto trailing(int a) -> decltype(a + 1);
int derived_member(int) try { return 1; } catch (const error &e) { return 2; } catch (...) { throw; }
outer::inner::type outer::inner::function(int a) { return outer::deep; }
generic<int>::generic(int) : base(1), data{ } { }
generic<int>::~generic() { }

int statements(const std::vector<int> &all, int *p, int &&moved) {
    for (auto &one : all) { one++; }
    for (int i = 0; i < 3; ++i) continue;
    if (int a = f(); a > 1) { }
    if (auto *q = dynamic_cast<derived *>(p)) return 1;
    while (auto one = next()) { break; }
    auto [first, second] = pair;
    auto lambda = [=, &p, this](int a, auto b) mutable noexcept -> int { return a + b; };
    auto none = [] { };
    [&] { }();
    int *made = new int[3], *one = new (p) int(2);
    auto *object = new outer::inner::thing{ 1, 2 };
    delete[] made;
    delete object;
    p->template as<int>();
    this->count = static_cast<int>(1.5) + reinterpret_cast<long>(p) + int(2) + int{ 3 };
    auto text = R"(raw "text")" "more";
    auto literal = 12_km + 1'000'000 + u8"x"_s;
    auto null = nullptr;
    goto end;
    try { throw 1; } catch (int) { }
    switch (int a = 1; a) { case 1: [[fallthrough]]; default: break; }
    co_await thing();
    co_yield 1;
    co_return 2;
    sizeof...(all);
    noexcept(f());
    bool ok = not a and b or c;
    all.*p;
end:
    return typeid(all).x;
}

// Text that the parser does not get to see.
__extension__ template<typename T> using extended = T;
int attributed() { int e __attribute__((__unused__)) = f(&count); return e; }
using listed = list<int,
# 659 "header.h" 3
  long>;
unsigned cast(int a) { return unsigned(a) << 8 | unsigned long(a) & (a + unsigned(a)); }
int operators(thing a, thing *p) { return a.operator->() + p->operator()(1) + a.operator[](2); }
template <class T> int tagged() { return typename T::tag(); }
SOME_API thing::thing(): first(0), second(1) { }
SOME_API thing::operator bool() const { return true; }
int SOME_API exported(const thing *a) { return 0; }
auto several(int a) -> decltype(f(count), void(), g<int, char>(a), true) { return true; }
struct several_checked { template <class A, class B> static auto test(int) -> decltype(save(g<A&, B>(), 1), yes()); };
typedef __typeof__(first(1) + second(2)) typed;
extern "C" __typeof(cast) named_like;
int old(int a) { typedef __decltype(a + f(a)) T; __decltype(a) b = a; return b; }
int pointed(thing *p, int thing::*m) { return (p->*m)(1) + p->*m; }
template struct instantiated<int>;
template class a::instantiated<b<int>, 1>;
int made() { return f(typename T::type(), typename b<T>::template c<int>{}) + (typename T::type(1)); }
typedef decltype((typename T::made())) type_of_made;
auto listed_type(int a) { return std::pair{ decltype(a){ 1 }, unsigned{ 2 } }; }
struct based : decltype(f<int>(g(0))) { };
void deleted(base &, derived) = delete;
void defaults(int a, base b = {}, base = { 1, 2 }, void * = nullptr);
template <typename T, typename U = const T &, typename V = list_of<T> *, small W = const T, small X = typename T::x> void more_defaults();
template <typename... A> void variadic(int (*)(A......));
struct bits { unsigned valued : 1 = 0, :0; int listed : 2 { 1 }; int :30; using base::operator T; using typename base<T>::type; };
typedef void (*__attribute__((deprecated)) handler)();
namespace __attribute__((visibility("default"))) visible { }
__complex__ double conjugate(_Complex float a) { return __real__ a - __imag__ a; }
int destroyed(thing *p) { p->~thing<int, list<int>>(); return 0; }
bool built_in = __is_same(const T, volatile U &) && __is_same(T, long double) && __is_assignable(T &, const U *);
int identified() { return typeid(const T).x + typeid(void).x + typeid(T *).x + __builtin_bit_cast(int64_t, a); }
struct __attribute__((visibility("hidden"))) hidden_names {
    __attribute__((__exclude_from_explicit_instantiation__)) __attribute__((__abi_tag__("a"))) int hidden();
    typedef __attribute__((__nodebug__)) const T type;
    friend class __attribute__((visibility("hidden"))) other;
    friend typename T::self;
};
base designated() { return { .a{ 1 }, .b = 2 }; }
__extension__ extern template void instantiated_elsewhere<int>();
auto checked_list(int a) -> decltype(f(a), g{}, a.template h<int>(), true);
LIBRARY_BEGIN
namespace named LIBRARY_VISIBILITY(default) {
LIBRARY_INTERNAL_BEGIN
template <typename T>
_LIBRARY_CONSTEXPR
bool conditional(int a, int b) {
    return a == 1 &&
#if VALUE
        a == 2 &&
#endif
        b == 3
#if VALUE
        && b == 4
#endif
        ;
}
}
struct selected {
    template <typename U, typename enable_if<and_<same<T, U &&>>::value, bool>::type = false>
    explicit constexpr selected(U &&v) : count(v) { }
    template <typename... A> static int packed(int n, A... all __attribute__((unused)));
};
typedef int (thing::*constant_member)(int) const;
void released(thing *p) { operator delete(p); (p ->* (&thing::m))(1); }

// Modules.
module;
export module a.b:part;
import <vector>;
import "header.h";
import a.b;
import :other;
export import c;
export int exported_function();
export namespace exported_space { int a; }
export template <class T> struct exported_template { T t; };
export template <class T> concept exported_concept = true;
export class exported_class { int a; };
export using std::vector;
export using exported_type = int;
export inline constexpr int exported_value = 1;
export enum class exported_list { a };
export extern "C++" { int exported_linked(); }
module :private;

// Conditions inside of expressions, declarations and lists.
int branches(int a
#if VALUE
    , int b
#endif
    ) {
    int c = a +
#ifdef VALUE
        1
#elif OTHER
        2
#else
        3
#endif
        ;
    call(a,
#if VALUE
        1,
#else
        2,
#endif
        3);
    return c
#if VALUE
        + 1
#else
        + 2
#endif
        ;
}
int branches_in_list[] = {
#if VALUE
    1,
#else
    2,
#endif
    3
};
#if VALUE
void head(int a) {
#else
void head(long a) {
#endif
    f(a);
}
#
#if __has_include(<vector>) && __has_cpp_attribute(gnu::cold) && SOME_WORKAROUND(VERSION, <= 3)
#endif
#if 0
it's not C++ "
#endif
_Pragma("once") int after_pragma;
__pragma(warning(push)) int after_other_pragma;
const char *joined = "a" PRIu64 "b";

// Operators by name.
template <class T> struct befriended {
    friend befriended operator+ <>(const befriended &, int);
    friend bool operator<< <T>(const befriended &, const befriended &);
    befriended &operator=(const befriended &);
    int called(T *p) { operator++(); operator=(*this); operator()(1); p->T::~T(); return a.operator bool(); }
};
int cast_to_type_of(int a) { return decltype(a)(1) + decltype(a){ 2 } + decltype(auto)(a); }
int type_of(int a) { typeof(a) d = a; return d; }

// Microsoft.
struct __declspec(align(16)) declared { __declspec(property(get = g)) int a; int __thiscall m(); int *__ptr64 p; };
struct __declspec(novtable) __declspec(uuid("0000")) declared_twice { virtual long __stdcall k() = 0; };
int __vectorcall vector_call(int a);
using called_so = int __cdecl(int);
template <class R, class C> struct called_by_member<R (__thiscall C::*)(int)> { };
typedef int (WINAPI *windows_call)(int);
void assembler() { __asm { mov eax, 1 } __asm nop
}
struct closed sealed : base { };

// Concepts and coroutines.
template <outer::small<int> T = int, small U = unsigned long> void default_of_concept(T);
template <class T> concept bool technical = true;
task waits() { for co_await (auto one : all) { } int a = (co_yield 1); co_yield { 1, 2 }; co_return {}; }
consteval int constant() { if consteval { return 1; } else { return 2; } if !consteval { return 3; } }
struct explicit_object { int f(this explicit_object self); template <class T> auto g(this T &&self) { return self.a; } };
void parts() { auto [a [[maybe_unused]], b] = pair; auto [c, ...d] = tuple; }

// Attributes.
[[using gnu: hot, cold]] void several_attributes();
enum class [[nodiscard]] attributed_list { a [[deprecated]], b [[deprecated("why")]] = 2 };
[[deprecated]] typedef int attributed_type;
namespace attributed_space [[deprecated]] { }
class [[nodiscard]] alignas(8) aligned : public base { char a alignas(8); };
enum alignas(4) aligned_list { a_of_aligned };
enum : int { of_type };
typedef __attribute__((vector_size(16))) int vector_of_four;
using vector_type = int __attribute__((vector_size(16)));
enum attributed_values { a1 __attribute__((deprecated)), b1 __attribute__((deprecated)) = 2 };
enum __attribute__((packed)) packed_list { c1 };
int *__attribute__((noinline)) attributed_pointer() { return 0; }
extern int weak __attribute__((weak));
int unused1 __attribute__((unused)), unused2 __attribute__((unused)) = 2;
void attributed_statements(int a) {
    switch (a) { case 1: __attribute__((fallthrough)); default: ; }
    for (int i __attribute__((unused)) : all) { }
}
auto attributed_result() -> int __attribute__((cold));
int in_register asm("r0") = 1;
__attribute__((deprecated)) class attributed_class { };

// Lambdas.
void lambdas() {
    auto a = [&, this] mutable { return 1; };
    auto b = []() static { return 1; };
    auto c = [] -> int { return 1; };
    auto d = [] noexcept { return 1; };
    auto e = [&...x] { };
    auto g = [] __attribute__((always_inline)) (int a) { return a; };
    auto h = [] [[nodiscard]] (int a) { return a; };
}
generic(const char *) -> generic<int>;

// CUDA.
__global__ void __launch_bounds__(256, 2) kernel(int *a) { __shared__ int shared[10]; }
__host__ __device__ inline int on_both(int a);
void start() { kernel<<<1, 2>>>(p); templated<int><<<dim3(1), n / 2, 0, s>>>(p); }
auto on_device = [=] __host__ __device__ (int i) { return i; };

// What only some compilers know.
int others(int a, va_list list) {
    void *p = &&l;
    goto *p;
l:
    switch (a) { case 1 ... 3: case 'a' ... 'z': break; }
    auto b = __builtin_va_arg(list, int) + va_arg(list, const char *);
    auto c = new int *[3];
    return a > 1 ? throw 1 : __builtin_types_compatible_p(int, long) && __is_same(int, T) && __is_constructible(T, int &, U);
}
_Atomic(int) atomic_value;
unsigned _BitInt(8) small_value;
__underlying_type(T) underlying;
int *_Nullable nullable;
void (^block)(int);
template <class... T> struct uses : T... { using T::operator()...; using outer::a, outer::b<int, long>; };
template <class... T> void arrays(T *...a, T (&...b)[3]);
class widget { Q_OBJECT Q_PROPERTY(int a READ b) public: signals: void changed(); public slots: void change(); };
void locked() SOME_NOEXCEPT_IF(true) { }
void unused_parameters(int a SOME_UNUSED, const T &b SOME_UNUSED, SOME_NONNULL int *c);
static SOME_INLINE int inlined() { return 1; }
SOME_INLINE SOME_CONST list_of<list_of<list_of<int>>> typed_result() { return 1; }
template SOME_API int exported_instance<int>(int);
int max SOME_PREVENTION () { return 1; }
struct noexcept_constructor { noexcept_constructor() SOME_NOEXCEPT : a(1) { } ~noexcept_constructor() SOME_NOEXCEPT = default; };
void default_of_pointer(int * /* unnamed */ = 0);

// Directives and macros inside of declarations and statements.
enum among {
# 12 "file.h" 3
    first,
#if VALUE
    second,
#endif
    third
};
int marked(int a,
# 13 "file.h"
           int b) {
    if (a)
        return 1;
# 14 "file.h"
    else
        return b;
}
int whole_in_condition() {
#if VALUE
    return 1;
#else
    return 2;
#endif
}
class constructed {
    SOME_CONSTEXPR constructed() : a(0) { }
    SOME_CONSTEXPR operator int() const { return a; }
    int a;
};
template <typename T, SOME_ENABLE_IF(!is_class<T>::value)> void restricted(T *SOME_RESTRICT a, const char c = '#');
using ::outer_name SOME_USING_IF_EXISTS;
void called() {
    SOME_STEP_2a(1, 2)
    SOME_STEP_2b(a, +b)
}
const char *text = "_Pragma(\"#\") R\"(x)";
template <bool B, class = enable_if_t<(B > 2)>, int N = f<B>::value> using compared = a<b<c<B>>, N >= 2, T...[1], sizeof...(T)>;
void conditions_in_expressions() {
#ifdef SOME_OUTER
    int size =
    #ifdef SOME_SIZE
        SOME_SIZE
    #else
        32
    #endif
        ;
    SOME_STEP_3a(1)
    SOME_STEP_3b(2, 3)
#endif
    const type *p(0), *q(&size), &r(*p);
}

// What compilers take in less known places.
struct converted {
    const converted *operator->() const { return operator const converted *(); }
    int both() { return operator int() + this->operator int(); }
    converted() { int (converted::*a)() const = &converted::operator int; list<&converted::operator bool> b; }
    friend decltype(m);
    void thrown() throw(outer::error, E...);
    void any_thrown() throw(...);
    int first, __attribute__((unused)) second;
    __restrict const volatile int &&restricted();
    template <class T> friend struct [[gnu::packed]] other<T>::befriended;
};
void allocations(char *p) {
    new (T); new (int[n]); new (p) (T); new (int(*[2])); int *a = new (int[5])(), *b = new int[f<int>(2), 2];
    new int __attribute__((vector_size(8)))();
    delete[](p + 1); delete[](T *)p; delete[] p->q; ::delete[] p;
}
void conditions(int a) {
    for (; item b = next(a);) continue;
    for (int i = 0; item b = next(i); i++) if (a) item c = b; else item d = b;
    while (a) item e(a);
    asm volatile("" : "=r"(a, b) : "r"(b, a));
}
auto captures = [a(42), b{ 1 }, &c(d), &...e = f, ...g(h)] { return a; };
auto thrower = [] throw() { };
auto attributed_lambda = []<class T>(T) __attribute__((always_inline)) noexcept { };
__complex double complex_number = 1;
int part(__complex int a) { return __real a + __imag a; }
int copied = auto(1) + auto{ 2 } + sizeof(auto(3)) + sizeof... N;
list_of<{ 1, 2 }, {}, { .a = 10 }> listed_arguments;
auto suffixes = "a"_x "b"_x;
class base typedef typed_after, *pointer_after;
int typedef number_after;
enum of_dependent : typename T::type { of_dependent_a };
enum of_template : underlying<T> { of_template_a };
using attributed_argument = list_of<__underlying_type(T) [[gnu::packed]]>;
typedef char aligned_array[15] alignas(16), macro_array[15] SOME_ALIGNED(8);
int initialized(0) __attribute__((unused));
__constinit int constant_initialized = 1;
template <template <class T> requires small<T> class U> requires !small<int> struct constrained_template;
void comma_constraint() requires (this, true) { }
template <class T> concept bool technical_function() { return true; }
import a.b:part;
extern "C" class linked_class { };
int transaction(int a) { __transaction_atomic { a++; } __transaction_relaxed [[outer]] noexcept(true) { a--; } return a; }
const char *some_nonnull pointer(void (*some_nullable called)(const char *some_nonnull a));
using deprecated_alias SOME_DEPRECATED() = int;
