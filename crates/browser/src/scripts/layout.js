(() => {
    // Scrolls everything to its beginning, where a layout from scratch puts it.
    const top = () => {
        for (const e of [document.scrollingElement, ...document.querySelectorAll('*')])
            if (e && (e.scrollTop || e.scrollLeft)) e.scrollTop = e.scrollLeft = 0;
    };
    // The elements that are looked at, and their boxes from the corner of the page.
    const elements = [...document.querySelectorAll(SELECTOR)];
    const boxes = () => (top(), elements.map(e => {
        const r = e.getBoundingClientRect();
        return [r.x + scrollX, r.y + scrollY, r.width, r.height];
    }));
    // Takes the whole page out of the layout and puts it back.
    const again = () => {
        const style = document.documentElement.style;
        const [value, priority] = [style.getPropertyValue('display'), style.getPropertyPriority('display')];
        style.setProperty('display', 'none', 'important');
        document.documentElement.getBoundingClientRect();
        style.setProperty('display', value, priority);
    };
    const afresh = () => (again(), boxes());
    const far = (a, b) => a.some((side, at) => Math.abs(side - b[at]) > BY);
    // A selector that fits an element, and as few others as is easy.
    const name = e => e.id ? '#' + CSS.escape(e.id)
        : e.classList.length ? e.localName + '.' + CSS.escape(e.classList[0]) : e.localName;
    const named = () => boxes().map((box, at) => [name(elements[at]), box]);
    const moved = () => {
        const kept = boxes(), once = afresh(), twice = afresh();
        return [...elements.keys()].filter(at => far(kept[at], once[at]) && !far(once[at], twice[at]))
            .map(at => [name(elements[at]), kept[at], once[at]]);
    };
    return GIVEN;
})()
