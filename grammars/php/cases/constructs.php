<html><?php
declare(strict_types=1);
namespace App\Model;
use Some\Thing as Other, Another;
use function f;
/** One of everything. */
#[Attr(1)]
abstract class Shape extends Base implements \Countable, Named {
    use Helper;
    const A = 1;
    private static ?array $list = [1, 'k' => 2, ...OTHERS];
    public function __construct(protected readonly int $x = 1, string|null ...$rest) { parent::__construct($x); }
    abstract protected function area(): float;
    final public static function make(int &$n): static { return new static($n); }
}
interface Named { public function name(): string; }
trait Helper { }
enum Suit: string { case Hearts = 'H'; }
function g(array $a): iterable {
    foreach ($a as $k => [$x, $y]) { if ($x === 1 && !$y) { continue; } elseif ($y) break; else { yield $k => $x; } }
    for ($i = 0; $i < 10; $i++) { $s .= "v {$a['k']} $x"; }
    while (true) { do { --$i; } while ($i > 0); }
    switch ($k) { case 1: return; default: throw new \Exception("x"); }
    try { $r = match(true) { $x > 1, $y => 1, default => null }; } catch (A | B $e) { } finally { unset($r); }
    $f = fn($x) => $x ?? 2; $h = function () use ($f) { return $f(1)?->y[0]::$z; };
    echo $a ? 1.5 : (int) '2', PHP_EOL; global $g; static $s = 1; list(, $b) = $a; print $x <=> $y; return `ls`;
}
?>
<p><?= $x ?></p></html>
