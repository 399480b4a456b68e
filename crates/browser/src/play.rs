//! Plays actions on a page: with events that the browser itself makes, as if a person were there.

use anyhow::Result;

use crate::actions::element::{self, Found};
use crate::actions::{Action, Kind, keys};
use crate::page::{Input, Page, unless_gone};
use crate::settle;

/// Plays actions one after the other. What has no element is left out, so that an element can go
/// before what was done with it. `says` gets the elements of the actions, with their names.
///
/// # Errors
/// If the tab crashes or the time is up.
pub(crate) fn play(
    page: &mut dyn Page,
    actions: &[Action],
    mut says: Option<&mut dyn FnMut(Option<Found>)>,
) -> Result<()> {
    for action in actions {
        let found = one(page, action, says.is_some())?;
        if let Some(says) = &mut says {
            says(found);
        }
    }
    Ok(())
}

fn one(page: &mut dyn Page, action: &Action, is_named: bool) -> Result<Option<Found>> {
    let Action { kind, target, text, .. } = action;
    let mut found = None;
    if !target.is_empty() {
        found = unless_gone(page.ask::<Found>(&element::find(action, is_named)))?.flatten();
        if found.is_none() {
            return Ok(None);
        }
    }
    let (at, is_typed) = found.as_ref().map(|found| (found.at, found.is_typed)).unwrap_or_default();
    let [x, y] = action.pair().unwrap_or_default();
    let mut run = |script: &str| unless_gone(page.text(script)).map(|_| Vec::new());
    let inputs = match kind {
        Kind::Fill if !is_typed => Vec::new(),
        Kind::Fill if text.is_empty() => pressed("Delete"),
        Kind::Fill | Kind::Type => typed(text),
        Kind::Press => pressed(text),
        Kind::Down => vec![Input::Down(text.clone())],
        Kind::Up => vec![Input::Up(text.clone())],
        Kind::Wheel => vec![Input::Wheel(at, [x, y])],
        Kind::Scroll if target.is_empty() => {
            run(&format!("scrollTo({{ left: {x}, top: {y}, behavior: 'instant' }})"))?
        }
        Kind::Scroll => Vec::new(),
        Kind::Wait => {
            let time = action.numbers.first().unwrap_or(&0.0);
            run(&format!("new Promise(done => setTimeout(done, {time})).then(() => '')"))?
        }
        Kind::Line => run(&format!("(async () => {{ {text}\n }})().then(() => '')"))?,
        Kind::Resize => {
            page.resize(action.size().unwrap_or_default())?;
            Vec::new()
        }
        Kind::Go => {
            page.go(text)?;
            Vec::new()
        }
        _ => of_pointer(*kind, at),
    };
    if !inputs.is_empty() {
        page.input(&inputs)?;
    }
    settle(page)?;
    Ok(found)
}

/// Waits for what an action leads to: the next frame, what begins soon, and another page.
fn settle(page: &mut dyn Page) -> Result<()> {
    for _ in 0..MOST_PAGES {
        // If the page went elsewhere meanwhile, the other one is waited for.
        if unless_gone(page.holds(&settle::between()))?.is_some() {
            break;
        }
    }
    Ok(())
}

/// How many pages may come one after the other, each of which goes elsewhere.
const MOST_PAGES: usize = 5;

fn of_pointer(kind: Kind, at: [f64; 2]) -> Vec<Input> {
    let click = |button, count| [Input::Press(button, count), Input::Release(button, count)];
    let mut all = vec![Input::Move(at)];
    match kind {
        Kind::Click => all.extend(click(0, 1)),
        Kind::DoubleClick => all.extend([click(0, 1), click(0, 2)].concat()),
        Kind::RightClick => all.extend(click(2, 1)),
        Kind::Hold => all.push(Input::Press(0, 1)),
        Kind::Release => all.push(Input::Release(0, 1)),
        _ => {}
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
    use super::{Input, Kind, of_pointer, pressed, typed};

    #[test]
    fn actions_are_what_a_mouse_and_a_keyboard_do() {
        let up = |key: &str| Input::Up(key.to_owned());
        let down = |key: &str| Input::Down(key.to_owned());
        assert_eq!(pressed("Control+b"), [down("Control"), down("b"), up("b"), up("Control")]);
        assert_eq!(typed("ö\n"), [down("ö"), up("ö"), down("Enter"), up("Enter")]);
        let twice = of_pointer(Kind::DoubleClick, [1.0, 2.0]);
        assert_eq!(twice.len(), 5);
        assert_eq!(twice[3], Input::Press(0, 2));
    }
}
