//! `minirepro rules`.

use minirepro_program::{CheckedExample, NotTried, Tried, check_rules};

use crate::args::{CheckRules, RulesArgs, RulesTask};
use crate::commands::languages::languages;
use crate::commands::launch::rules;
use crate::error::CliError;
use crate::exit::Exit;
use crate::report::numbers::counted;
use crate::report::terminal::{name, print};

/// Does a task with rules.
///
/// # Errors
/// If a file is wrong, or standard output cannot be written to.
pub fn run(args: &RulesArgs) -> Result<Exit, CliError> {
    match &args.task {
        RulesTask::Check(args) => check(args),
    }
}

/// Runs the examples in files of rules, and prints what matched.
fn check(args: &CheckRules) -> Result<Exit, CliError> {
    let languages = languages(&args.grammar)?;
    let mut lines = Vec::new();
    let (mut count, mut failed) = (0u64, 0u64);
    for file in rules(&args.rules)? {
        let examples = check_rules(&languages, args.lang.as_deref(), &file)?;
        if examples.is_empty() {
            lines.push(format!("{}: no examples", file.origin));
        }
        for example in &examples {
            count += 1;
            failed += u64::from(!example.holds());
            lines.extend(shown(&file.origin, example));
        }
    }
    lines.push(format!("{} checked, {failed} failed", counted(count, "example")));
    // Texts and names may come from a file of somebody else's.
    print(|to| lines.iter().try_for_each(|line| writeln!(to, "{}", name(line))))?;
    Ok(if failed == 0 { Exit::Done } else { Exit::DoesNotHold })
}

/// Says in lines what became of an example.
fn shown(file: &str, example: &CheckedExample) -> Vec<String> {
    let CheckedExample { title, language, matches, refused, missing, unwanted } = example;
    let verdict = if example.holds() { "ok" } else { "does not hold" };
    let mut lines = vec![format!("{file}: {language}: {title}: {verdict}")];
    lines.extend(missing.iter().map(|text| format!("  no match gives  {}", text.trim())));
    lines.extend(unwanted.iter().map(|text| format!("  a match gives   {}", text.trim())));
    for Tried { text, rule } in matches {
        lines.push(format!("  matched         {text}"));
        lines.push(format!("    by            {rule}"));
    }
    if !example.holds() {
        for NotTried { part, rule, why } in refused {
            lines.push(format!("  fits, refused   {part}"));
            lines.push(format!("    by            {rule}"));
            lines.push(format!("    since         {why}"));
        }
        if matches.is_empty() && refused.is_empty() {
            lines.push("  no part fits a rule".to_owned());
        }
    }
    lines
}
