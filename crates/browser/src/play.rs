//! Plays actions on a page: with events that the browser itself makes, as if a person were there.

use anyhow::Result;
use serde_json::Value;

use crate::actions::{Action, Deed, element, keys};
use crate::connection::Problem;
use crate::page::{Input, Page, Seen};
use crate::settle;

/// What became of an action.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Played {
    Yes,
    /// It was done with the element that this selector says, at this place from its corner.
    On(String, [f64; 2]),
    /// There is no such element: nothing was done.
    Missing,
}

/// Plays actions one after the other. What has no element is left out, so that an element can go
/// before what was done with it.
///
/// # Errors
/// If the tab crashes or the time is up.
pub(crate) fn play(page: &mut dyn Page, actions: &[Action]) -> Result<()> {
    actions.iter().try_for_each(|action| one(page, action, false).map(|_| ()))
}

/// Plays actions, and says what became of each.
///
/// # Errors
/// As `play`; what was played before has been said.
pub(crate) fn play_named(
    page: &mut dyn Page,
    actions: &[Action],
    mut says: impl FnMut(Played),
) -> Result<()> {
    actions.iter().try_for_each(|action| one(page, action, true).map(&mut says))
}

fn one(page: &mut dyn Page, action: &Action, named: bool) -> Result<Played> {
    let played = match action {
        Action::Point { deed, target, at } => {
            let Some(found) = ask(page, &element::place(target, *at, named))? else {
                return Ok(Played::Missing);
            };
            page.input(&of_deed(*deed, side(&found, 1)))?;
            of_name(&found)
        }
        Action::Wheel { target, by } => {
            let Some(found) = ask(page, &element::place(target, None, named))? else {
                return Ok(Played::Missing);
            };
            let at = side(&found, 1);
            page.input(&[Input::Wheel { at, by: *by }])?;
            of_name(&found)
        }
        Action::Fill { target, text } => {
            let Some(found) = ask(page, &element::fill(target, text, named))? else {
                return Ok(Played::Missing);
            };
            if found[1] == true {
                let typed = match text.is_empty() {
                    true => pressed("Delete"),
                    false => typed(text),
                };
                page.input(&typed)?;
            }
            of_name(&found)
        }
        Action::Scroll { target, to } => {
            let Some(found) = ask(page, &element::scroll(target.as_ref(), *to, named))? else {
                return Ok(Played::Missing);
            };
            of_name(&found)
        }
        Action::Type { text } => {
            page.input(&typed(text))?;
            Played::Yes
        }
        Action::Press { keys } => {
            page.input(&pressed(keys))?;
            Played::Yes
        }
        Action::Down { key } => {
            page.input(&[Input::Down(key.clone())])?;
            Played::Yes
        }
        Action::Up { key } => {
            page.input(&[Input::Up(key.clone())])?;
            Played::Yes
        }
        Action::Resize { size } => {
            page.resize((size[0], size[1]))?;
            Played::Yes
        }
        Action::Wait { time } => {
            let wait = format!("new Promise(done => setTimeout(done, {time})).then(() => '')");
            let _waited = say(page, &wait)?;
            Played::Yes
        }
        Action::Go { address } => {
            page.go(address)?;
            Played::Yes
        }
        Action::Line { code } => {
            let line = format!("(async () => {{ {code}\n }})().then(() => '')");
            let _done = say(page, &line)?;
            Played::Yes
        }
    };
    settle(page)?;
    Ok(played)
}

/// Waits for what an action leads to: the next frame, what begins soon, and another page.
fn settle(page: &mut dyn Page) -> Result<()> {
    for _ in 0..MOST_PAGES {
        match page.holds(&settle::between()) {
            Ok(Seen::Crash) => anyhow::bail!(Problem::Crash),
            // The page went elsewhere meanwhile: now the other one is waited for.
            Err(error) if error.downcast_ref::<Problem>().is_none() => {}
            other => return other.map(|_| ()),
        }
    }
    Ok(())
}

/// How many pages may come one after the other, each of which goes elsewhere.
const MOST_PAGES: usize = 5;

/// Returns what an expression says; `None` if the page goes elsewhere meanwhile.
fn say(page: &mut dyn Page, expression: &str) -> Result<Option<String>> {
    match page.text(expression) {
        Err(error) if error.downcast_ref::<Problem>().is_none() => Ok(None),
        other => other,
    }
}

fn ask(page: &mut dyn Page, expression: &str) -> Result<Option<Value>> {
    let said = say(page, expression)?;
    Ok(said.and_then(|said| serde_json::from_str(&said).ok()))
}

fn of_name(found: &Value) -> Played {
    found[0].as_str().map_or(Played::Yes, |name| Played::On(name.to_owned(), side(found, 3)))
}

/// Returns the place that begins in an answer here.
fn side(found: &Value, at: usize) -> [f64; 2] {
    [at, at + 1].map(|at| found[at].as_f64().unwrap_or_default())
}

fn of_deed(deed: Deed, at: [f64; 2]) -> Vec<Input> {
    let click = |button, count| [Input::Press { button, count }, Input::Release { button, count }];
    let mut all = vec![Input::Move(at)];
    match deed {
        Deed::Click => all.extend(click(0, 1)),
        Deed::Double => all.extend(click(0, 1).into_iter().chain(click(0, 2))),
        Deed::Right => all.extend(click(2, 1)),
        Deed::Hover => {}
        Deed::Hold => all.push(Input::Press { button: 0, count: 1 }),
        Deed::Release => all.push(Input::Release { button: 0, count: 1 }),
    }
    all
}

fn typed(text: &str) -> Vec<Input> {
    let key = |letter: char| match letter {
        '\n' => "Enter".to_owned(),
        '\t' => "Tab".to_owned(),
        letter => letter.to_string(),
    };
    text.chars().map(key).flat_map(|key| [Input::Down(key.clone()), Input::Up(key)]).collect()
}

fn pressed(keys: &str) -> Vec<Input> {
    let keys = keys::together(keys);
    let down = keys.iter().map(|&key| Input::Down(key.to_owned()));
    down.chain(keys.iter().rev().map(|&key| Input::Up(key.to_owned()))).collect()
}

#[cfg(test)]
mod tests {
    use super::{Deed, Input, of_deed, pressed, typed};

    #[test]
    fn actions_are_what_a_mouse_and_a_keyboard_do() {
        let up = |key: &str| Input::Up(key.to_owned());
        let down = |key: &str| Input::Down(key.to_owned());
        assert_eq!(pressed("Control+b"), [down("Control"), down("b"), up("b"), up("Control")]);
        assert_eq!(typed("ö\n"), [down("ö"), up("ö"), down("Enter"), up("Enter")]);
        let twice = of_deed(Deed::Double, [1.0, 2.0]);
        assert_eq!(twice.len(), 5);
        assert_eq!(twice[3], Input::Press { button: 0, count: 2 });
    }
}
