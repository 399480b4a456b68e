# One of everything.
module Space
using Base: sort, map
import LinearAlgebra as L
export f
abstract type Shape{T} end
mutable struct Box{T<:Real} <: Shape{T}
    x::T
    list::Vector{Int}
end
const A = 1
function f(x::Int, y = 2.5; key = "n", rest...)
    for i in 1:10
        i > 2 && continue
    end
    while true
        break
    end
    if x == 1 || !y
        return [v^2 for v in list if v > 1]
    elseif x > 2
        x += 1
    else
        throw(ErrorException("v $x $(x + 1)"))
    end
    try
        g.(list)
    catch e
        rethrow()
    finally
        nothing
    end
    let z = 1
        map(a -> a + z, (1, 2))
    end
end
h(x) = x > 0 ? :sym : A[1, end]
macro m(e)
    quote $e end
end
end
