(() => {
    const own = window[Symbol.for('minirepro')], parts = [];
    const list = (name, all) => all.length && parts.push(all.length === 1 ? `${name} ${all[0]}` : `${all.length} ${name}s, such as ${all[0]}`);
    list('font', [...document.fonts].filter(font => font.status === 'loading').map(font => font.family));
    list('frame', [...document.querySelectorAll('iframe, frame')].filter(frame => {
        try { return frame.contentDocument && frame.contentDocument.readyState !== 'complete' } catch { return false }
    }).map(frame => frame.src || frame.name || 'about:srcdoc'));
    list('image', [...document.images].filter(image => !image.complete).map(image => image.src.slice(0, 80)));
    if (own?.timers.size) parts.push(own.timers.size === 1 ? 'a timer' : `${own.timers.size} timers`);
    return `the document is ${document.readyState}` + (parts.length ? `; pending: ${parts.join(', ')}` : ', and nothing is pending');
})()
