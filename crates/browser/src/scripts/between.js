(async () => {
    const own = window[Symbol.for('minirepro')], set = own?.set ?? setTimeout;
    // This ends with the page, if that goes.
    if (own?.leaves()) await new Promise(done => set.call(window, done, LEAVING)).then(own.stays);
    if (document.readyState !== 'complete')
        await new Promise(done => { addEventListener('load', () => set.call(window, done)); set.call(window, done, 2000) });
    return SETTLE;
})()
