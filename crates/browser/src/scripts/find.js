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
};
