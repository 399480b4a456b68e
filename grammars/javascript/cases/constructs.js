// a comment
import a, { b as c } from "./d.js";
export default class E extends F { static #g = 1; get h() { return this.#g } }
var i = 0, { j, k: [l] } = m ?? n;
const o = (p, ...q) => ({ ...p, r: `s${q[0]}t`, u() {} });
async function* v(w = /x[/]y/gi) { for await (const z of w) yield* z; }
label: for (let i = 0; i < 10; i++) { if (i === 5) continue label; else break }
try { throw new Error('a\'b') } catch { } finally { delete a.b?.c?.[0] }
switch (typeof a) { case "b": default: void 0 }
document.write('<p>' + "</p>")
