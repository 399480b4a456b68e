NAMES.map((name, at) => {
    for (const e of document.querySelectorAll('*')) {
        const style = getComputedStyle(e);
        if (style.getPropertyValue('MARK' + at)) return style.getPropertyValue(name);
    }
    return null;
})
