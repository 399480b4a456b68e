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
