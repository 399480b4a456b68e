fun twice(a: Int): Int { return a + a }
fun show(text: Int) { println(text) }
fun main() {
    val count = 1
    var total = twice(count)
    show(total)
    total = count
    show(total)
}
