//! Finds elements by selectors, and gives elements the shortest selector that is unique. Runs in
//! the page, and must change nothing in it but where it is scrolled to.
//!
//! A selector is one of style sheets, or `aria/NAME[role="ROLE"]`, `text/TEXT`, `xpath/PATH`,
//! `has/TEXT` (those that have the text), `nth/N`, `frame/N`, `at/X,Y` (a place in the window).
//! Parts with ` >>> ` between them lead from an element into it, into its shadow tree, or into the
//! document of a frame.

use serde_json::json;

use super::Target;

/// Finds the elements that a selector says.
const FIND: &str = r#"
const plain = text => (text ?? '').replace(/\s+/g, ' ').trim();
const labelled = e => plain(
    e.getAttribute('aria-label')
    || (e.getAttribute('aria-labelledby') || '').split(/\s+/).map(id => document.getElementById(id)?.textContent ?? '').join(' ').trim()
    || [...e.labels ?? []].map(label => label.textContent).join(' ')
    || e.getAttribute('alt') || e.getAttribute('title') || e.getAttribute('placeholder')
    || (/^(button|submit|reset)$/.test(e.type) && e.value) || e.textContent);
const KINDS = {
    button: 'button, summary, input[type=button], input[type=submit], input[type=reset]', link: 'a[href]',
    textbox: 'textarea, input:not([type]), input[type=text], input[type=email], input[type=url], input[type=tel], input[type=password], [contenteditable]',
    searchbox: 'input[type=search]', checkbox: 'input[type=checkbox]', radio: 'input[type=radio]',
    spinbutton: 'input[type=number]', slider: 'input[type=range]', heading: 'h1, h2, h3, h4, h5, h6',
    combobox: 'select', option: 'option', list: 'ul, ol', listitem: 'li', img: 'img', table: 'table', row: 'tr',
    cell: 'td', columnheader: 'th', navigation: 'nav', main: 'main', dialog: 'dialog', paragraph: 'p', article: 'article',
};
const has = (e, text) => plain(e.textContent).toLowerCase().includes(text.toLowerCase());
const inside = root => root.shadowRoot ?? root.contentDocument ?? root;
const step = (roots, part) => {
    const [, kind, rest] = /^(?:(aria|text|xpath|pierce|frame|has|nth|at)\/)?([^]*)$/.exec(part);
    const every = () => roots.flatMap(root => [...inside(root).querySelectorAll('*')]);
    switch (kind) {
    case 'frame': return roots.flatMap(root => (root.defaultView ?? root.contentWindow)?.frames[rest]?.document ?? []);
    case 'at': return roots.flatMap(root => inside(root).elementFromPoint(...rest.split(',')) ?? []);
    case 'nth': return roots.slice(rest, +rest + 1 || undefined);
    case 'has': return roots.filter(e => has(e, rest));
    case 'xpath': return roots.flatMap(root => {
        const found = (root.ownerDocument ?? root).evaluate(rest, inside(root), null, XPathResult.ORDERED_NODE_SNAPSHOT_TYPE, null);
        return Array.from({ length: found.snapshotLength }, (_, at) => found.snapshotItem(at));
    });
    case 'text': {
        const all = every().filter(e => !/^(script|style|head|title)$/.test(e.localName) && has(e, rest));
        return all.filter(e => !all.some(other => other !== e && e.contains(other)));
    }
    case 'aria': {
        const [, name, role] = /^([^]*?)(?:\[role=["']?([^\]"']*)["']?\])?$/.exec(rest);
        // A label names its field, and is not called by its own text.
        const all = every().filter(e => !role && e.localName !== 'label' || e.getAttribute('role') === role || !e.hasAttribute('role') && KINDS[role] && e.matches(KINDS[role]));
        const same = all.filter(e => !name || labelled(e) === plain(name));
        if (same.length) return role || !name ? same : same.filter(e => !same.some(other => other !== e && e.contains(other)));
        return all.filter(e => labelled(e).toLowerCase().includes(plain(name).toLowerCase()) && role);
    }
    case 'pierce': {
        const deep = root => [...inside(root).querySelectorAll(rest), ...[...inside(root).querySelectorAll('*')].filter(e => e.shadowRoot).flatMap(deep)];
        return roots.flatMap(deep);
    }
    default: return roots.flatMap(root => [...inside(root).querySelectorAll(part)]);
    }
};
// Where elements around or before it have gone, the rest of a selector says the element.
const rests = selector => {
    const plain = selector.replace(/:nth-(child|of-type)\([^)]*\)/g, '');
    const parts = plain.split(/(?<!>>) *[ >] *(?!>>)/);
    return [selector, ...(/[/"'[]/.test(selector) ? [] : [plain, ...parts.map((_, at) => parts.slice(at).join(' '))])];
};
const find = selector => {
    // What is no selector finds nothing.
    const first = selector => { try { return selector.split(' >>> ').reduce(step, [document])[0] ?? null } catch { return null } };
    for (const rest of rests(selector)) { const e = first(rest); if (e) return e; }
    return null;
};"#;

/// Gives elements a name: `unique(e)`.
pub(crate) const UNIQUE: &str = r#"
const simples = e => {
    const attributes = ['name', 'type', 'role', 'title', 'alt', 'for', 'href', 'placeholder', 'aria-label', ...[...e.attributes].map(a => a.name).filter(name => name.startsWith('data-'))];
    const all = [e.localName, e.id && '#' + CSS.escape(e.id), ...[...e.classList].map(name => '.' + CSS.escape(name)),
        ...attributes.filter(name => e.hasAttribute(name)).map(name => `[${name}=${JSON.stringify(e.getAttribute(name))}]`)];
    return all.filter(simple => simple && simple.length <= 40).sort((a, b) => a.length - b.length);
};
const unique = e => {
    const root = e.getRootNode(), host = root.host ?? root.defaultView?.frameElement;
    const own = uniqueIn(root, e);
    return host ? `${unique(host)} >>> ${own}` : own;
};
const uniqueIn = (root, e) => {
    const is = selector => { try { const all = root.querySelectorAll(selector); return all.length === 1 && all[0] === e } catch { return false } };
    const own = simples(e), several = own.slice(1).map(simple => simple.startsWith('[') || simple.startsWith('.') || simple.startsWith('#') ? own.find(s => /^[a-z]/.test(s)) + simple : simple);
    const shortest = all => all.sort((a, b) => a.length - b.length).find(is);
    let found = shortest([...own]) ?? shortest(several);
    for (let up = e.parentElement, steps = 0; !found && up && steps < 5; up = up.parentElement, steps++)
        found = shortest(simples(up).flatMap(a => own.flatMap(b => [`${a} ${b}`, ...(steps ? [] : [`${a}>${b}`])])));
    if (found) return found;
    const parent = e.parentElement;
    const nth = `${e.localName}:nth-child(${[...(parent ?? root).children].indexOf(e) + 1})`;
    if (is(nth)) return nth;
    return parent ? `${uniqueIn(root, parent)}>${nth}` : nth;
};"#;

/// Where an element is in the window, and which place of it that is; it is scrolled there if it is
/// not.
const PLACE: &str = r#"
const place = (e, at, selector) => {
    const seen = /^at\/(.*),(.*)$/.exec(selector), corner = e.getBoundingClientRect();
    if (seen) return [+seen[1], +seen[2], seen[1] - corner.x, seen[2] - corner.y];
    const sides = () => {
        const r = e.getBoundingClientRect();
        let [x, y] = at ? [r.x + at[0], r.y + at[1]] : [r.x + r.width / 2, r.y + r.height / 2];
        for (let view = e.ownerDocument.defaultView; view && view !== top; view = view.parent) {
            const frame = view.frameElement, outer = frame.getBoundingClientRect();
            x += outer.x + frame.clientLeft, y += outer.y + frame.clientTop;
        }
        return [x, y];
    };
    const [x, y] = sides();
    if (x < 0 || y < 0 || x >= innerWidth || y >= innerHeight) e.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
    return sides();
};"#;

/// Gives a field a text or a list a choice; returns whether the text has to be typed.
const FILL: &str = r#"
const fill = (e, text) => {
    e.focus();
    if (e.localName === 'select') {
        const option = [...e.options].find(option => option.value === text || plain(option.textContent) === plain(text));
        if (!option) return false;
        e.value = option.value;
        for (const kind of ['input', 'change']) e.dispatchEvent(new Event(kind, { bubbles: true }));
        return false;
    }
    if (/^(checkbox|radio)$/.test(e.type)) { if (String(e.checked) !== text) e.click(); return false; }
    if (/^(color|date|datetime-local|month|range|time|week)$/.test(e.type)) {
        e.value = text;
        for (const kind of ['input', 'change']) e.dispatchEvent(new Event(kind, { bubbles: true }));
        return false;
    }
    if (e.select) e.select(); else getSelection().selectAllChildren(e);
    return true;
};"#;

/// Returns the expression that finds the first of some selectors that says an element, and does
/// something with it (`e`); it gives `null` if there is none. `give` is an expression.
fn found(target: &Target, more: &str, give: &str) -> String {
    let selectors = json!(target.0);
    format!(
        "(() => {{ {FIND} {more}
        for (const selector of {selectors}) {{ const e = find(selector); if (e) return {give}; }}
        return null; }})()"
    )
}

/// Returns the expression that gives an element's place as JSON, and with `named` its name.
pub(crate) fn place(target: &Target, at: Option<[f64; 2]>, named: bool) -> String {
    let name = if named { "unique(e)" } else { "null" };
    let give = format!("JSON.stringify([{name}, ...place(e, {}, selector)])", json!(at));
    found(target, &format!("{PLACE} {}", if named { UNIQUE } else { "" }), &give)
}

/// Returns the expression that begins to fill a field: it gives its name and whether the text has
/// to be typed, as JSON.
pub(crate) fn fill(target: &Target, text: &str, named: bool) -> String {
    let name = if named { "unique(e)" } else { "null" };
    let give = format!("JSON.stringify([{name}, fill(e, {})])", json!(text));
    found(target, &format!("{FILL} {}", if named { UNIQUE } else { "" }), &give)
}

/// Returns the expression that scrolls an element, or the page.
pub(crate) fn scroll(target: Option<&Target>, [x, y]: [f64; 2], named: bool) -> String {
    let Some(target) = target else {
        return format!("(scrollTo({{ left: {x}, top: {y}, behavior: 'instant' }}), '[null]')");
    };
    let name = if named { "unique(e)" } else { "null" };
    let to = format!("{{ left: {x}, top: {y}, behavior: 'instant' }}");
    let give = format!("(e.scrollTo({to}), JSON.stringify([{name}]))");
    found(target, if named { UNIQUE } else { "" }, &give)
}
