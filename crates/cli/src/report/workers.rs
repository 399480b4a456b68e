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
    let mut hosts: Vec<(String, u64)> = Vec::new();
    for hello in workers.iter().filter_map(|worker| worker.result.as_ref().ok()) {
        match hosts.iter_mut().find(|(host, _)| *host == hello.host) {
            Some((_, agents)) => *agents += 1,
            None => hosts.push((hello.host.clone(), 1)),
        }
    }
    let agents: u64 = hosts.iter().map(|(_, agents)| agents).sum();
    if agents == 0 {
        return text;
    }
    let more = hosts.len().saturating_sub(MOST_NAMED);
    let named = hosts.iter().take(MOST_NAMED).map(|(host, _)| terminal::name(host));
    let mut named = named.collect::<Vec<_>>().join(", ");
    if more > 0 {
        named += &format!(" and {more} more");
    }
    text + &format!(
        "{} on {named}: {} at the same time\n",
        counted(agents, "worker"),
        counted(jobs as u64, "test")
    )
}

/// Says that a worker was lost.
pub fn worker_lost(command: &str, why: &str) -> String {
    format!("worker lost: {}: {}", terminal::name(command), terminal::plain(why))
}
