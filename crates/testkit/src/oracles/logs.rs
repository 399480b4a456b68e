//! Reads the log of a server that takes and releases locks.

use std::collections::{HashMap, HashSet};

use minirepro_engine::Outcome;

use super::oracle::found;

/// See [`StandIn::LockOrder`](super::StandIn::LockOrder).
pub(super) fn lock_order(text: &[u8]) -> Outcome {
    inverted(&String::from_utf8_lossy(text)).map_or(Outcome::Unresolved, found)
}

/// Returns whether two threads take two locks in opposite orders; `None` if the log contradicts
/// itself.
fn inverted(log: &str) -> Option<bool> {
    let mut holder: HashMap<&str, &str> = HashMap::new();
    let mut held: HashMap<&str, Vec<&str>> = HashMap::new();
    let mut orders: HashSet<(&str, &str, &str)> = HashSet::new();
    for line in log.lines() {
        let (thread, verb, lock) = read(line)?;
        let mine = held.entry(thread).or_default();
        match verb {
            "acquire" => {
                if holder.insert(lock, thread).is_some() {
                    return None;
                }
                orders.extend(mine.iter().map(|&before| (thread, before, lock)));
                mine.push(lock);
            }
            "release" => {
                mine.remove(mine.iter().position(|&l| l == lock)?);
                holder.remove(lock);
            }
            _ => {}
        }
    }
    let opposite = |&(thread, first, second): &(&str, &str, &str)| {
        orders.iter().any(|&(other, a, b)| other != thread && (a, b) == (second, first))
    };
    Some(orders.iter().any(opposite))
}

/// Returns thread, verb and its object of `HH:MM:SS.mmm [thread N] LEVEL verb object …`.
fn read(line: &str) -> Option<(&str, &str, &str)> {
    let mut words = line.split(' ').filter(|word| !word.is_empty());
    words.next().filter(|time| time.split(':').count() == 3)?;
    words.next().filter(|&word| word == "[thread")?;
    let thread = words.next()?.strip_suffix(']')?;
    let _level = words.next()?;
    Some((thread, words.next()?, words.next().unwrap_or_default()))
}
