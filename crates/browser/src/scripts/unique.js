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
};
