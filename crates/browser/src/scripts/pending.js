(() => {
    const own = window[Symbol.for('minirepro')];
    const frames = [...document.querySelectorAll('iframe, frame')].filter(frame => {
        try { return frame.contentDocument && frame.contentDocument.readyState !== 'complete' } catch { return false }
    });
    return JSON.stringify({
        state: document.readyState,
        fonts: [...document.fonts].filter(font => font.status === 'loading').map(font => font.family),
        timers: own ? own.timers.size : 0,
        frames: frames.map(frame => frame.src || frame.name || 'about:srcdoc'),
        images: [...document.images].filter(image => !image.complete).map(image => image.src.slice(0, 80)),
    });
})()
