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
};
