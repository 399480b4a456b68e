package a.b
import scala.collection.{mutable => m, Map}
/** One of everything. */
@deprecated abstract class Shape[T <: Any](val x: Int, y: String = "n") extends Base(x) with Named {
  private val list: List[Int] = List(1, 2)
  lazy val z = 1.5
  def walk[K](items: T*)(implicit key: K): Option[T] = {
    for (i <- 0 until 10; if i > 2) yield i
    while (true) { n += 1 }
    val r = x match { case 1 | 2 => "a" case n: Int if n > 3 => s"v $n" case _ => throw new Exception() }
    try { f() } catch { case e: Exception => } finally { }
    val g = (a: Int) => a + 1
    if (x > 1) Some(items.head) else None
  }
}
case class P(a: Int)
object Single { type M = Map[String, Int] }
trait Named { def name: String }
