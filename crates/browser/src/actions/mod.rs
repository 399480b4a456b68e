//! What people do on a page: clicks, keys, text and the like. They stand in the page itself, in a
//! script that no browser runs, so that both are reduced as one text.

pub(crate) mod alone;
pub(crate) mod calls;
pub(crate) mod element;
pub(crate) mod file;
pub(crate) mod forms;
pub(crate) mod keys;
pub(crate) mod recorder;
pub(crate) mod script;

/// Something that a person does.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Action {
    /// Something that is done with the pointer.
    Point {
        deed: Deed,
        target: Target,
        /// From the element's corner; the middle if nothing is said.
        at: Option<[f64; 2]>,
    },
    /// Gives a field another text, or a list another choice.
    Fill { target: Target, text: String },
    /// Types where the focus is.
    Type { text: String },
    /// Presses keys and lets them go: `Enter`, `Control+b`.
    Press { keys: String },
    /// Presses a key.
    Down { key: String },
    /// Lets a key go.
    Up { key: String },
    /// Scrolls to a place: an element, or the page.
    Scroll { target: Option<Target>, to: [f64; 2] },
    /// Turns the wheel of the mouse over an element, by pixels.
    Wheel { target: Target, by: [f64; 2] },
    /// Gives the window another size.
    Resize { size: [u32; 2] },
    /// Does nothing for this many milliseconds.
    Wait { time: f64 },
    /// Opens another page.
    Go { address: String },
    /// A line of script.
    Line { code: String },
}

/// What is done with the pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Deed {
    Click,
    Double,
    Right,
    Hover,
    /// Presses the button.
    Hold,
    /// Lets the button go.
    Release,
}

/// Selectors of an element, each as good as the others; see `element.rs` for what they may say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Target(pub(crate) Vec<String>);

impl Target {
    /// Returns a target with one selector.
    pub(crate) fn one(selector: impl Into<String>) -> Self {
        Self(vec![selector.into()])
    }

    /// Returns the selector that is written where there is room for one only.
    pub(crate) fn first(&self) -> &str {
        self.0.first().map_or("", String::as_str)
    }
}

impl Action {
    /// Returns the element, to give it another selector.
    pub(crate) fn target_mut(&mut self) -> Option<&mut Target> {
        match self {
            Self::Point { target, .. } | Self::Fill { target, .. } | Self::Wheel { target, .. } => {
                Some(target)
            }
            Self::Scroll { target, .. } => target.as_mut(),
            _ => None,
        }
    }
}

/// Joins what was recorded in parts: letters become a text, a key that is pressed and let go is one
/// that is typed, and of changes of one thing that follow each other the last one counts.
pub(crate) fn joined(actions: Vec<Action>) -> Vec<Action> {
    let mut all: Vec<Action> = Vec::new();
    for action in actions {
        if let Some(pressed) = pressed_together(&all, &action) {
            all.truncate(all.len() - 2);
            all.push(pressed);
            continue;
        }
        match (all.last_mut(), action) {
            (Some(Action::Down { key }), Action::Up { key: up }) if *key == up => {
                let key = std::mem::take(key);
                all.pop();
                let is_letter = key.chars().count() == 1;
                let typed = if is_letter {
                    Action::Type { text: key }
                } else {
                    Action::Press { keys: key }
                };
                match (all.last_mut(), typed) {
                    (Some(Action::Type { text }), Action::Type { text: more }) => {
                        text.push_str(&more);
                    }
                    (_, typed) => all.push(typed),
                }
            }
            (Some(Action::Type { text }), Action::Type { text: more }) => text.push_str(&more),
            (Some(Action::Wait { time }), Action::Wait { time: more }) => *time += more,
            (Some(Action::Scroll { target, to }), Action::Scroll { target: other, to: there })
                if *target == other =>
            {
                *to = there;
            }
            (Some(Action::Wheel { target, by }), Action::Wheel { target: other, by: [x, y] })
                if *target == other =>
            {
                *by = [by[0] + x, by[1] + y];
            }
            (
                Some(Action::Point { deed: Deed::Click, target, .. }),
                Action::Point { deed: Deed::Double, target: other, at },
            ) if *target == other => {
                all.pop();
                all.push(Action::Point { deed: Deed::Double, target: other, at });
            }
            (_, action) => all.push(action),
        }
    }
    all
}

/// Returns what was pressed while a key was held that is let go now, if that is one thing.
fn pressed_together(before: &[Action], action: &Action) -> Option<Action> {
    let (Action::Up { key: up }, [.., Action::Down { key }, pressed]) = (action, before) else {
        return None;
    };
    let keys = match pressed {
        Action::Press { keys } => keys,
        Action::Type { text } if text.chars().count() == 1 => text,
        _ => return None,
    };
    (key == up).then(|| Action::Press { keys: format!("{key}+{keys}") })
}

#[cfg(test)]
mod tests {
    use super::joined;
    use super::script::{read, write};

    #[test]
    fn parts_of_one_action_are_joined() {
        for (recorded, expected) in [
            ("down('a');up('a');down('b');up('b');type('c')", "type(\"abc\");\n"),
            ("down('Enter');up('Enter')", "press(\"Enter\");\n"),
            (
                "down('Control');down('Shift');down('k');up('k');up('Shift');up('Control')",
                "press(\"Control+Shift+k\");\n",
            ),
            (
                "down('Shift');click('a');up('Shift')",
                "down(\"Shift\");\nclick(\"a\");\nup(\"Shift\");\n",
            ),
            ("scroll(0,3);scroll(0,9);scroll('a',0,1)", "scroll(0,9);\nscroll(\"a\",0,1);\n"),
            (
                "wheel('a',0,3);wheel('a',1,9);wheel('b',0,1)",
                "wheel(\"a\",1,12);\nwheel(\"b\",0,1);\n",
            ),
            ("click('a');doubleclick('a',1,2)", "doubleclick(\"a\",1,2);\n"),
        ] {
            assert_eq!(write(&joined(read(recorded))), expected);
        }
    }
}
