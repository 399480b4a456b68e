package a.b
import kotlin.math.max
/** One of everything. */
@Deprecated("x")
abstract class Shape<T : Any>(val x: Int, private var y: String = "n") : Base(x), Named {
    companion object { const val A = 1 }
    val size: Int get() = list.size
    lateinit var late: String
    init { println("init $x ${y.length}") }
    override fun walk(vararg items: T?, key: (Int) -> Unit): List<T> {
        for ((i, item) in items.withIndex()) { if (i > 2) continue else break }
        while (true) { do { n++ } while (n < 5) }
        val r = when (x) { 1, 2 -> "a"; in 3..5 -> "b"; is Int -> null; else -> throw Exception() }
        try { f() } catch (e: Exception) { } finally { }
        val l = items.filter { it != null }.map { v -> v!! }
        return l as? List<T> ?: emptyList()
    }
}
data class P(val a: Int, val b: Double = 1.5)
enum class E { A, B }
interface Named { fun name(): String }
object Single
fun <T> T.ext(): T = this
