//! The user actions of the Mozilla case (Zeller & Hildebrandt 2002, §4.2), made up from the
//! description in the paper.

use std::fmt::Write;

use minirepro_engine::Outcome;

/// Returns a recording as in the paper: 711 X events, 95 of them by the user, who prints twice with
/// other margins.
pub fn recording() -> String {
    let key = |name: &str, modifier: &str| {
        [format!("KeyPress {name}{modifier}"), format!("KeyRelease {name}{modifier}")]
    };
    let button =
        |place: &str| [format!("ButtonPress 1 {place}"), format!("ButtonRelease 1 {place}")];
    let mut actions: Vec<String> = Vec::new();
    let moves = |actions: &mut Vec<String>, to: &str, steps: usize| {
        actions.extend((0..steps).map(|i| format!("MotionNotify {to} {}", i * 17)));
    };
    moves(&mut actions, "menu", 9);
    actions.extend(button("Location"));
    for letter in "bugzilla.mozilla.org".chars().take(12) {
        actions.extend(key(&letter.to_string(), ""));
    }
    actions.extend(key("Return", ""));
    for _ in 0..2 {
        actions.extend(key("P", " Alt"));
        moves(&mut actions, "dialog", 6);
        actions.extend(button("File"));
        moves(&mut actions, "margins", 5);
        actions.extend(key("5", ""));
        actions.extend(key("0", ""));
        moves(&mut actions, "print", 6);
        actions.extend(button("Print"));
    }
    let rest = 95 - actions.len();
    moves(&mut actions, "away", rest);
    let mut log = String::new();
    for (i, action) in actions.iter().enumerate() {
        writeln!(log, "{i:05}0 {action}").expect("strings take anything");
        // What the server adds is the rest of the 711.
        for window in i * 616 / 95..(i + 1) * 616 / 95 {
            writeln!(log, "{i:05}5 Expose window={}", window % 9).expect("strings take anything");
        }
    }
    log
}

/// Fails, as Mozilla crashed, when the print dialog was opened and the mouse button went down and
/// up on Print.
pub fn mozilla(candidate: &[u8]) -> Outcome {
    let log = String::from_utf8_lossy(candidate);
    let mut dialog = false;
    let mut armed = false;
    for line in log.lines() {
        match line.split_once(' ').map_or("", |(_, event)| event) {
            "KeyPress P Alt" => dialog = true,
            "ButtonPress 1 Print" => armed = dialog,
            "ButtonRelease 1 Print" if armed => return Outcome::Fail,
            "ButtonPress 1 File" | "KeyPress Return" => armed = false,
            _ => {}
        }
    }
    Outcome::Pass
}
