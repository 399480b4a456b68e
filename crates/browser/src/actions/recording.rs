//! Notes what a person does on a page: a script in the page says it on the console, in the form of
//! `script.rs`.

use super::script::read;
use super::{Action, element, joined};

/// What is said begins with it.
const MARK: &str = "minirepro records: ";

/// Listens before anything in the page does. A click is noted with its element as it was before the
/// page reacts, a pause only if it is one.
const RECORD: &str = r#"
{
    UNIQUE
    const debug = console.debug.bind(console), set = setTimeout, clear = clearTimeout;
    let last = 0, pressed = null, resting = 0;
    const note = line => {
        const now = performance.now();
        if (last && now - last > 300) debug('MARK' + `wait(${Math.round((now - last) / 100) * 100})`);
        last = now;
        debug('MARK' + line);
    };
    const call = (name, ...all) => note(`${name}(${all.map(one => JSON.stringify(one)).join(',')})`);
    const target = event => { const e = event.composedPath()[0]; return e instanceof Element ? e : e.parentElement ?? document.documentElement; };
    const at = (e, event) => { const r = e.getBoundingClientRect(); return [event.clientX - r.x, event.clientY - r.y].map(Math.round); };
    const listen = (kind, code) => addEventListener(kind, event => { if (event.isTrusted) code(event); }, true);
    listen('mousedown', event => {
        const e = target(event);
        pressed = { name: unique(e), at: at(e, event), x: event.clientX, y: event.clientY, button: event.button };
        clear(resting);
    });
    listen('mouseup', event => {
        if (!pressed) return;
        const { name, at: place, x, y, button } = pressed;
        pressed = null;
        if (Math.hypot(event.clientX - x, event.clientY - y) > 4) {
            const e = target(event), to = [unique(e), ...at(e, event)];
            call('hold', name, ...place), call('hover', ...to), call('release', ...to);
        } else call(button === 2 ? 'rightclick' : event.detail === 2 ? 'doubleclick' : 'click', name, ...place);
    });
    listen('mousemove', event => {
        clear(resting);
        if (pressed) return;
        const e = target(event);
        resting = set(() => call('hover', unique(e)), 500);
    });
    listen('keydown', event => {
        const { key } = event;
        if (/^(Shift|Control|Alt|Meta|CapsLock|Dead|Process|Unidentified)$/.test(key)) return;
        const before = [event.ctrlKey && 'Control', event.altKey && 'Alt', event.metaKey && 'Meta', event.shiftKey && key.length > 1 && 'Shift'].filter(Boolean);
        if (key.length === 1 && !before.length) call('type', key);
        else call('press', [...before, key].join('+'));
    });
    listen('change', event => { const e = target(event); if (e.localName === 'select') call('fill', unique(e), e.value); });
    let scrolling = 0;
    addEventListener('wheel', () => scrolling = performance.now(), true);
    listen('scroll', event => {
        if (performance.now() - scrolling > 1000) return;
        const e = event.target;
        if (e === document) call('scroll', Math.round(scrollX), Math.round(scrollY));
        else call('scroll', unique(e), Math.round(e.scrollLeft), Math.round(e.scrollTop));
    });
    if (self === top) listen('resize', () => call('resize', innerWidth, innerHeight));
}"#;

/// Returns the script that has to run before those of the page.
pub(crate) fn script() -> String {
    RECORD.replace("UNIQUE", element::UNIQUE).replace("MARK", MARK)
}

/// Returns what was done, of all that was said on a console.
pub(crate) fn actions(console: &[String]) -> Vec<Action> {
    let said = console.iter().filter_map(|line| line.strip_prefix(MARK));
    joined(said.flat_map(read).collect())
}

/// Returns what was said on a console by others.
pub(crate) fn others(console: Vec<String>) -> Vec<String> {
    console.into_iter().filter(|line| !line.starts_with(MARK)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::script::write;
    use super::{MARK, actions, others, script};

    #[test]
    fn what_is_noted_becomes_actions() {
        let said = ["type(\"a\")", "type(\"b\")", "click(\"#x\",1,2)", "doubleclick(\"#x\",1,2)"];
        let mut console: Vec<String> = said.iter().map(|line| format!("{MARK}{line}")).collect();
        console.push("other".to_owned());
        assert_eq!(write(&actions(&console)), "type(\"ab\");\ndoubleclick(\"#x\",1,2);\n");
        assert_eq!(others(console), ["other"]);
        assert!(!script().contains("MARK") && !script().contains("UNIQUE"));
    }
}
