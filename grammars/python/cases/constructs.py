"""One of everything."""
from __future__ import annotations
import os.path as path, sys
from .local import (one, two as three)

@decorated(1)
class Shape(Base, metaclass=Meta):
    """A class."""
    sides: int = 4

    def area(self, *args, scale=1.0, **rest) -> float:
        if scale > 2 and not args:
            return scale ** 2
        elif scale is None:
            pass
        else:
            raise ValueError(f"bad {scale!r:>{10}}") from None
        for index, item in enumerate(args):
            while True:
                break
            else:
                continue
        try:
            with open("f") as f, lock:
                self.x[1:2, ::3] = f.read()
        except (OSError, KeyError) as e:
            del self.x
        finally:
            global name
            assert self, "message"
        return [x for x in args if x] or {y: 1 for y in rest} or {*args, 2}

async def walk(a, /, b, *, c: int = 3):
    async for x in a:
        await x
        yield lambda p, q=2: p + q
    match b:
        case [1, *others] if others:
            pass
        case {"k": v} | Shape(sides=v):
            return v
        case _:
            print(b'x', 0x1F, 1.5e-3, 2j, ..., None, end="")

x = y = (1, -2) if a < b <= c else not d
z: list[int] = [*x, (n := 10)]
