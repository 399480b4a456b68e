//! What a certificate says, in a sentence and edit by edit.

use minirepro_program::{Certificate, EditKind};

use super::numbers::{count, counted};

/// Says in a sentence what is certified; lists only the kinds of edits that the result has.
pub fn certified(certificate: &Certificate) -> String {
    let Certificate { edit_kinds, refused, unresolved, larger } = certificate;
    let kinds: Vec<&str> =
        edit_kinds.iter().filter(|kind| kind.count > 0).map(|kind| kind.name).collect();
    let kinds = if kinds.is_empty() { String::new() } else { format!(" ({})", kinds.join(", ")) };
    let kinds = format!("{}{kinds}", not_made(*larger));
    let singles = counted(*refused, "single further edit");
    let unresolved = match unresolved {
        0 => String::new(),
        n => format!(", {} of them unresolved", count(*n)),
    };
    format!("1-minimal down to words: none of {singles} reproduces{unresolved}{kinds}")
}

/// Says how many edits would make a text of more tokens, if any.
fn not_made(larger: u64) -> String {
    match larger {
        0 => String::new(),
        n => format!(", except {} whose text has more tokens", count(n)),
    }
}

/// Lists the kinds of edits that the result has, one a line.
pub fn edit_kinds(certificate: &Certificate) -> String {
    let lines = certificate.edit_kinds.iter().filter(|kind| kind.count > 0).map(
        |EditKind { name, edits, count: number }| {
            format!("    {name}: {} ({edits})\n", counted(*number as u64, "edit"))
        },
    );
    lines.chain([LEFT_OUT.to_owned()]).collect()
}

/// Said of every certificate, so that nobody takes it for more than it is.
const LEFT_OUT: &str = "    not tried one by one: characters inside of words, and blank space\n";
