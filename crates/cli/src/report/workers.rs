//! What there is to say about workers.

use minirepro_program::Examined;

use super::numbers::counted;
use super::terminal;

/// How many workers that can be used are named.
const MOST_NAMED: usize = 4;

/// Says which workers can be used, and which are refused, in whole lines.
pub fn workers_ready(workers: &[Examined], jobs: usize) -> String {
    let mut text = String::new();
    for worker in workers {
        if let Err(why) = &worker.result {
            let command = terminal::name(&worker.command);
            text += &format!("worker refused: {command}: {}\n", terminal::plain(why));
        }
    }
    let mut hosts: Vec<&str> = Vec::new();
    hosts.extend(workers.iter().filter_map(|worker| Some(&*worker.result.as_ref().ok()?.host)));
    let agents = hosts.len() as u64;
    hosts.dedup();
    let more = hosts.len().saturating_sub(MOST_NAMED);
    hosts.truncate(MOST_NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    if agents > 0 {
        text += &format!(
            "{} on {}{more}: {} at the same time\n",
            counted(agents, "worker"),
            terminal::name(&hosts.join(", ")),
            counted(jobs as u64, "test")
        );
    }
    text
}

/// Says that a worker was lost.
pub fn worker_lost(command: &str, why: &str) -> String {
    format!("worker lost: {}: {}", terminal::name(command), terminal::plain(why))
}
