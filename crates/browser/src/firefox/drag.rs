//! Drags `draggable` elements: Firefox without a screen begins a drag but never ends it, so the
//! page gets the events of one from a script.

use serde_json::{Value, json};

use crate::page::Input;

/// Plays what a mouse does (`STEPS`) on the page. While something is dragged, a page hears nothing
/// of the mouse itself, nor of the drag that the browser begins.
const DRAG: &str = r#"
(() => {
    const key = Symbol.for('minirepro-drag'), quiet = ['mousemove', 'mouseup', 'pointermove', 'pointerup', 'click'];
    const hush = event => { if (window[key]?.data) event.stopImmediatePropagation() };
    const native = event => {
        if (event.isTrusted) { event.preventDefault(); event.stopImmediatePropagation() }
    };
    for (const [kind, x, y] of STEPS) {
        const drag = window[key], at = document.elementFromPoint(x, y);
        const send = (type, e, cancelable, relatedTarget = null) => !!e && !e.dispatchEvent(new DragEvent(type, {
            bubbles: true, composed: true, cancelable, relatedTarget, clientX: x, clientY: y, dataTransfer: drag.data }));
        if (kind === 'press') {
            const source = at?.closest('[draggable=true], a[href]:not([draggable=false]), img:not([draggable=false])');
            window[key] = { source };
            if (!source) continue;
            addEventListener('dragstart', native, true);
            for (const type of quiet) addEventListener(type, hush, true);
        } else if (kind === 'move' && drag?.source) {
            if (!drag.data) {
                drag.data = new DataTransfer();
                if (send('dragstart', drag.source, true)) { delete window[key]; continue }
            }
            send('drag', drag.source, true);
            if (at !== drag.over) {
                send('dragenter', at, true, drag.over);
                send('dragleave', drag.over, false, at);
                drag.over = at;
            }
            drag.accepts = send('dragover', at, true);
        } else if (kind === 'release') {
            if (drag?.data) {
                send(drag.accepts ? 'drop' : 'dragleave', drag.over, drag.accepts);
                send('dragend', drag.source, false);
            }
            delete window[key];
            for (const type of quiet) removeEventListener(type, hush, true);
            removeEventListener('dragstart', native, true);
        }
    }
})()"#;

/// Whether a button is pressed that something may be dragged with, and where the mouse is.
#[derive(Debug, Default)]
pub(super) struct Held {
    is_down: bool,
    at: [f64; 2],
}

impl Held {
    /// Returns the script that drags what these inputs would drag; `None` if that is nothing, such
    /// as for clicks.
    pub(super) fn script(&mut self, inputs: &[Input]) -> Option<String> {
        let mut steps: Vec<Value> = Vec::new();
        let was_down = self.is_down;
        for input in inputs {
            let kind = match input {
                Input::Move(at) => {
                    self.at = *at;
                    "move"
                }
                Input::Press { button: 0, .. } => {
                    self.is_down = true;
                    "press"
                }
                Input::Release { button: 0, .. } => {
                    self.is_down = false;
                    "release"
                }
                _ => continue,
            };
            steps.push(json!([kind, self.at[0], self.at[1]]));
        }
        let is_drag = was_down || self.is_down;
        is_drag.then(|| DRAG.replace("STEPS", &Value::from(steps).to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::Held;
    use crate::page::Input;

    #[test]
    fn what_is_held_is_dragged_until_it_is_released() {
        let [press, release] =
            [Input::Press { button: 0, count: 1 }, Input::Release { button: 0, count: 1 }];
        let to = |x| Input::Move([x, 2.0]);
        let mut held = Held::default();
        assert_eq!(held.script(&[to(1.0), press.clone(), release.clone()]), None);
        assert!(
            held.script(&[to(3.0), press])
                .unwrap()
                .contains(r#"[["move",3.0,2.0],["press",3.0,2.0]]"#)
        );
        assert!(held.script(&[to(4.0)]).unwrap().contains(r#"[["move",4.0,2.0]]"#));
        assert!(held.script(&[release]).unwrap().contains(r#"[["release",4.0,2.0]]"#));
        assert_eq!(held.script(&[to(1.0)]), None);
    }
}
