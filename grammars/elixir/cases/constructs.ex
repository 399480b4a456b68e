# One of everything.
defmodule M do
  @moduledoc "text"
  @x 1
  use GenServer
  import Enum, only: [map: 2]
  alias A.B, as: C
  defstruct [:a, b: 2]
  def f(a, b \\ 2) when a > 0 and is_integer(b) do
    c = a + b * 2 - 1
    {c, [1, 2 | []], %{"b" => 2, a: 1}, %M{a: 1}}
  end
  defp g(x), do: x
  def h(x) do
    case x do
      {:ok, y} -> y
      _ -> nil
    end
    if x, do: 1, else: 2
    with {:ok, a} <- x, do: a
    for i <- 1..3, i > 1, do: i
    fn a, b -> a <> b end
    x |> map(&(&1 + 1))
    "a#{x}b" <> ~s(sigil) <> 'c'
    try do
      raise "x"
    rescue
      e in RuntimeError -> e
    after
      :done
    end
  end
end
