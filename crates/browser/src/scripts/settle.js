(async () => {
    const own = window[Symbol.for('minirepro')];
    if (!own) return true;
    const { set, ask, frames, soon } = own;
    const after = time => new Promise(done => set.call(window, done, time));
    const frame = () => Promise.race([after(100), new Promise(done => ask.call(window, done))]);
    const end = after(LONGEST).then(() => 'end');
    await Promise.race([document.fonts.ready, end]);
    for (let drawn = 0; drawn < FRAMES || frames.size > 0 || soon(); drawn++)
        if (await Promise.race([frame(), end]) === 'end') break;
    return true;
})()
