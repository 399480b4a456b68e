(async value => {
    try {
        const v = await value();
        const shown = v instanceof Node ? `a ${v.nodeName}`
            : typeof v === 'function' || typeof v === 'symbol' ? String(v) : JSON.stringify(v) ?? String(v);
        return `is ${shown.length > 300 ? shown.slice(0, 300) + '…' : shown}`;
    } catch (thrown) { return `throws ${thrown}`; }
})(() => (
EXPRESSION
))
