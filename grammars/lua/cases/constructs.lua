-- One of everything.
local a, b <const> = 1, { x = 1, [2] = "y", 3; f = function() end }
function M.n:f(x, ...) local t = { ... }; return #t, x .. "s", not a end
local function g() goto done; ::done:: end
if a == 1 and b then a = -a elseif a ~= 2 or b.x >= 3 then b[1] = nil else do end end
for i = 1, 10, 2 do if i // 2 > 3 then break end end
for k, v in pairs(b) do print(k, v) end
while a < 5 do a = a + 1 end
repeat a = a ^ 2 % 7 until a > 3
M.n:f "s"; f { 1 }; f([[long]])
return a, b
