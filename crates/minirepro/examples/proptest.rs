//! Shrinks a value that proptest has found: its own shrinker keeps to the choices that its
//! strategies made, and these edits go by the form of the value.
//!
//! Run it with `cargo run -p minirepro --features serde --example proptest`.

use std::collections::BTreeMap;
use std::panic::catch_unwind;

use minirepro::{Error, Reduction};
use proptest::collection::{btree_map, vec};
use proptest::prelude::{Strategy, any};
use proptest::test_runner::{Config, RngSeed, TestError, TestRunner};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Shop {
    prices: BTreeMap<String, u32>,
    orders: Vec<Order>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Order {
    item: String,
    amount: u32,
}

fn shops() -> impl Strategy<Value = Shop> {
    let orders = ("[a-e]", 0..1_000u32).prop_map(|(item, amount)| Order { item, amount });
    (btree_map("[a-e]", any::<u32>(), 0..8), vec(orders, 0..40))
        .prop_map(|(prices, orders)| Shop { prices, orders })
}

/// Computes what all orders cost; the mistake is that large sums do not fit.
fn total(shop: &Shop) -> u32 {
    let price = |order: &Order| shop.prices.get(&order.item).copied().unwrap_or_default();
    shop.orders.iter().map(|order| price(order) * order.amount).sum()
}

/// Shrinks a failure and shows the result.
pub fn main() -> Result<(), Error> {
    // No shrinking by proptest, and the same random values in each run.
    let config = Config { max_shrink_iters: 0, rng_seed: RngSeed::Fixed(1), ..Config::default() };
    let found = TestRunner::new(config).run(&shops(), |shop| {
        proptest::prop_assert!(catch_unwind(|| total(&shop)).is_ok());
        Ok(())
    });
    let Err(TestError::Fail(_, shop)) = found else { unreachable!("large sums are common") };

    let reduced = Reduction::of(&shop)?.panics_with("overflow").run(|shop| {
        total(shop);
    })?;
    assert_eq!((reduced.value.prices.len(), reduced.value.orders.len()), (1, 1));
    println!("{} orders became one:\n{}", shop.orders.len(), reduced.as_rust());
    Ok(())
}
