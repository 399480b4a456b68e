func twice(_ a: Int) -> Int { return a + a }
func show(_ text: Int) { print(text) }
let count = 1
var total = twice(count)
show(total)
total = count
show(total)
