local function twice(a) return a + a end
function show(text) print(text) end
local count = 1
local total = twice(count)
show(total)
total = count
show(total)
