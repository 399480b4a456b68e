if (self === top && performance.getEntriesByType('navigation')[0]?.type !== 'reload') {
    try { sessionStorage.clear() } catch { }
    window.name = '';
}
