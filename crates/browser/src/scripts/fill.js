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
};
