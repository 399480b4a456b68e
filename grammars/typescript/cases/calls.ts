function twice(a: number): number { return a + a; }
function show(text: number): void { console.log(text); }
let count = 1;
let total = twice(count);
show(total);
total = count;
show(total);
