//! What a certificate says, in a sentence and edit by edit.

use minirepro_program::{Certificate, EditKind, StopReason, Summary};

use super::numbers::{count, counted};
use super::reason::stopped;

/// Says in a sentence what is certain of a result.
pub fn certain(summary: &Summary) -> String {
    match (summary.stopped, &summary.certificate) {
        (Some(why), _) => of_early_end(why),
        (None, Some(certificate)) => certified(certificate),
        (None, None) => "not certified to be minimal".to_owned(),
    }
}

/// Says why a session ended early.
pub fn of_early_end(why: StopReason) -> String {
    format!("stopped early, {}: it may not be minimal yet", stopped(why))
}

/// Says in a sentence what is certified; lists only the kinds of edits that the result has.
pub fn certified(certificate: &Certificate) -> String {
    let Certificate { edit_kinds, refused, unresolved, larger } = certificate;
    let kinds: Vec<&str> =
        edit_kinds.iter().filter(|kind| kind.count > 0).map(|kind| kind.name).collect();
    if *refused == 0 && !kinds.is_empty() {
        let all = edit_kinds.iter().map(|kind| kind.count as u64).sum();
        let edits = counted(all, "single further edit");
        return format!("not certified to be minimal: none of {edits} could be tested");
    }
    let mut text = "1-minimal down to words: none of ".to_owned()
        + &counted(*refused, "single further edit")
        + " reproduces";
    if *unresolved > 0 {
        text += &format!(", {} of them unresolved", count(*unresolved));
    }
    if *larger > 0 {
        text += &format!(", except {} whose text has more tokens", count(*larger));
    }
    if !kinds.is_empty() {
        text += &format!(" ({})", kinds.join(", "));
    }
    text
}

/// Lists the kinds of edits that the result has, one a line.
pub fn edit_kinds(certificate: &Certificate) -> String {
    let kinds = certificate.edit_kinds.iter().filter(|kind| kind.count > 0);
    let lines = kinds.map(|EditKind { name, edits, count: number }| {
        format!("    {name}: {} ({edits})\n", counted(*number as u64, "edit"))
    });
    // Said of every certificate, so that nobody takes it for more than it is.
    lines.collect::<String>()
        + "    not tried one by one: characters inside of words, and blank space\n"
}
