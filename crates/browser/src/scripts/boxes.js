[...Array(NUMBER).keys()].map(at => {
    const e = document.querySelector(`[MARK="${at}"]`);
    if (!e) return null;
    const style = getComputedStyle(e), r = e.getBoundingClientRect();
    return [parseFloat(style.width) || r.width, parseFloat(style.height) || r.height, style.display === 'inline'];
})
