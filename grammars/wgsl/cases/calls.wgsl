fn twice(a: f32) -> f32 { return a + a; }
fn show(text: f32) { out = text; }
fn main() {
    let count = 1.0;
    var total = twice(count);
    show(total);
    total = count;
    show(total);
}
