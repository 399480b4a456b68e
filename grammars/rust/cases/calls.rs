fn twice(a: i32) -> i32 { a + a }
fn show(text: i32) { println!("{}", text); }
fn main() {
    let count = 1;
    let mut total = twice(count);
    show(total);
    total = count;
    show(total);
}
