//! `minirepro rules`.

use minirepro_program::{CheckedExample, check_rules};

use crate::args::{CheckRules, RulesArgs, RulesTask};
use crate::commands::languages::languages;
use crate::commands::launch::rules;
use crate::error::CliError;
use crate::exit::Exit;
use crate::report::diff::unified;
use crate::report::numbers::counted;
use crate::report::terminal::{plain, print_text};

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
    let mut text = String::new();
    let (mut count, mut failed) = (0u64, 0u64);
    for file in rules(&args.rules)? {
        let examples = check_rules(&languages, args.lang.as_deref(), &file)?;
        if examples.is_empty() {
            text += &format!("{}: no examples\n", plain(&file.origin));
        }
        for example in &examples {
            count += 1;
            failed += u64::from(!example.holds());
            text += &shown(&file.origin, example);
        }
    }
    text += &format!("{} checked, {failed} failed\n", counted(count, "example"));
    print_text(&text)?;
    Ok(if failed == 0 { Exit::Done } else { Exit::DoesNotHold })
}

/// Says what became of an example. Texts and names may come from a file of somebody else's.
fn shown(file: &str, example: &CheckedExample) -> String {
    let CheckedExample { title, language, before, matches, refused, missing, unwanted } = example;
    let verdict = if example.holds() { "ok" } else { "does not hold" };
    let mut lines = vec![format!("{file}: {language}: {title}: {verdict}")];
    lines.extend(missing.iter().map(|text| format!("  no match gives  {}", text.trim())));
    lines.extend(unwanted.iter().map(|text| format!("  a match gives   {}", text.trim())));
    if !example.holds() {
        for [part, rule, why] in refused {
            lines.push(format!("  refused         {part}\n    rule          {rule}"));
            lines.push(format!("    condition     {why}"));
        }
        if matches.is_empty() && refused.is_empty() {
            lines.push("  no part fits a rule".to_owned());
        }
    }
    let mut text = plain(&(lines.join("\n") + "\n"));
    for [after, rule] in matches {
        let names = ["before", rule];
        text += &unified(names, before.as_bytes(), after.as_bytes());
    }
    text
}
