//! Numbers for people.

use std::time::Duration;

/// Writes `1,234,567`.
pub fn count(number: u64) -> String {
    let digits = number.to_string();
    let groups = digits.as_bytes().rchunks(3).rev().map(String::from_utf8_lossy);
    groups.collect::<Vec<_>>().join(",")
}

/// Writes `1 test`, `2 tests`.
pub fn counted(number: u64, thing: &str) -> String {
    format!("{} {thing}{}", count(number), if number == 1 { "" } else { "s" })
}

/// Writes a share like `12 %` or `1.2 %`; below one in a hundred only its first digit, `0.0003 %`.
pub fn percent(part: u64, whole: u64) -> String {
    let percent = if whole == 0 { 100.0 } else { part as f64 * 100.0 / whole as f64 };
    let places = match percent {
        0.0 | 10.0.. => 0,
        0.1.. => 1,
        _ => (-percent.log10()).ceil() as usize,
    };
    format!("{percent:.places$} %")
}

/// Writes `0.25 s`, `12 s`, `3 min 20 s`, `2 h 05 min`.
pub fn time(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        0..10 => format!("{:.2} s", time.as_secs_f64()),
        10..60 => format!("{:.1} s", time.as_secs_f64()),
        60..3600 => format!("{} min {:02} s", seconds / 60, seconds % 60),
        _ => format!("{} h {:02} min", seconds / 3600, seconds / 60 % 60),
    }
}

/// Writes a number per second, `24/s`, `0.3/s`.
pub fn rate(number: u64, time: Duration) -> String {
    let rate = number as f64 / time.as_secs_f64().max(1e-3);
    if rate >= 10.0 { format!("{}/s", count(rate as u64)) } else { format!("{rate:.1}/s") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_easy_to_read() {
        assert_eq!([0, 999, 1000, 1234567].map(count), ["0", "999", "1,000", "1,234,567"]);
        let shares = [(1, 3), (0, 0), (0, 5), (7, 99), (1, 300), (20, 73_601), (1, 1_000_000)];
        let shown = ["33 %", "100 %", "0 %", "7.1 %", "0.3 %", "0.03 %", "0.0001 %"];
        assert_eq!(shares.map(|(part, whole)| percent(part, whole)), shown);
        let times = [0.25, 12.3, 200.0, 7500.0].map(|s| time(Duration::from_secs_f64(s)));
        assert_eq!(times, ["0.25 s", "12.3 s", "3 min 20 s", "2 h 05 min"]);
        let second = Duration::from_secs(1);
        assert_eq!([rate(2400, second), rate(1, second * 3)], ["2,400/s", "0.3/s"]);
        assert_eq!([counted(1, "test"), counted(0, "test")], ["1 test", "0 tests"]);
    }
}
