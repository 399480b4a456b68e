%% One of everything.
-module(m).
-export([f/1, g/2]).
-record(r, {a = 1, b}).
-define(X, 1).
-type t() :: integer() | atom().
-spec f(integer()) -> atom().
f(0) -> zero;
f(N) when N > 0, is_integer(N) ->
    X = N + 1 * 2,
    case X of
        1 -> ok;
        _ -> error
    end.
g(A, [H | T]) ->
    L = [B || B <- T, B > 1],
    F = fun(Y) -> Y end,
    R = #r{a = 1},
    M = #{a => 1},
    if A > 1 -> H; true -> L end,
    receive {msg, P} -> P after 10 -> ok end,
    try F(1) catch _:E -> E end,
    {R, M, "text", <<1:8>>, ?X, m:f(1)}.
