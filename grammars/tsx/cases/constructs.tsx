import type { Thing } from "./thing";
import def, * as all from "other";
export { all as every };
/** An interface. */
interface Shape<T extends object = {}> extends Base { readonly area: number; name?: string; [key: string]: unknown; draw(at: Point): void; new (x: number): Shape; }
type Union = "a" | "b" | { kind: `x-${string}` } | readonly number[] | [first: string, ...rest: boolean[]];
type Conditional<T> = T extends (infer U)[] ? U : T extends Promise<infer V> ? V : never;
type Mapped = { readonly [K in keyof Shape]?: Shape[K] };
declare module "m" { export function f(x: any): asserts x is string; }
declare const enum Flags { A = 1 << 0, B, C = A | B }
namespace Space.Inner { export let y = 1; }
abstract class Box<T> extends Base<T> implements Shape, Other {
  static #count = 0; private readonly items: T[] = []; declare old: string;
  constructor(public width: number, protected height?: number) { super(); }
  get size(): number { return this.items.length; }
  abstract open<K>(this: Box<T>, key: K): void;
  @decorated() async *walk(): AsyncGenerator<T> { yield* this.items; await null; }
}
function over(a: string): string;
function over(a: unknown, ...rest: number[]): unknown { return a as string satisfies any; }
const fn = async <T,>(x: T, { y = 2, ...z }: Record<string, any> = {}) => { for await (const i of [x]) { continue; } };
let value = window!.list?.[0] ?? (1 > 2 ? { a: 1, ["b"]: 2, c() {}, ...fn } : /re+/g);
label: for (let i = 0; i < 3; i++) { if (i) break label; else do { i -= 1; } while (i > 0) }
switch (typeof value) { case "string": throw new Error(`t ${value}`); default: try { delete value.x; } catch { void 0; } finally { } }
const view = <div className="a" {...rest}>text {value} <Box.Inner /><></></div>;
export default class { }
