const act = ({ kind, target, text, numbers: [x, y] }, isNamed) => {
    for (const selector of target) {
        const e = find(selector);
        if (!e) continue;
        const found = { name: isNamed ? unique(e) : null, at: [0, 0], from_corner: [0, 0], is_typed: false };
        if (kind === 'Fill') found.is_typed = fill(e, text);
        else if (kind === 'Scroll') e.scrollTo({ left: x, top: y, behavior: 'instant' });
        else {
            const [left, top, right, below] = place(e, kind === 'Wheel' || x === undefined ? null : [x, y], selector);
            found.at = [left, top];
            if (right !== undefined) found.from_corner = [right, below];
        }
        return found;
    }
    return null;
};
