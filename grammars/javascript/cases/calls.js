function twice(a) { return a + a; }
function show(text) { console.log(text); }
var count = 1;
var total = twice(count);
show(total);
total = count;
show(total);
