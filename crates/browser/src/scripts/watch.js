{
    const timers = new Map, frames = new Set;
    const set = window.setTimeout, clear = window.clearTimeout;
    const ask = window.requestAnimationFrame, leave = window.cancelAnimationFrame;
    window.setTimeout = new Proxy(set, { apply(target, self, [code, delay, ...more]) {
        if (typeof code !== 'function') return Reflect.apply(target, self, [code, delay, ...more]);
        const id = Reflect.apply(target, self, [(...all) => { timers.delete(id); Reflect.apply(code, window, all); }, delay, ...more]);
        timers.set(id, +delay || 0);
        return id;
    } });
    window.clearTimeout = new Proxy(clear, { apply(target, self, all) {
        timers.delete(all[0]);
        return Reflect.apply(target, self, all);
    } });
    window.requestAnimationFrame = new Proxy(ask, { apply(target, self, [code, ...more]) {
        if (typeof code !== 'function') return Reflect.apply(target, self, [code, ...more]);
        const id = Reflect.apply(target, self, [time => { frames.delete(id); Reflect.apply(code, window, [time]); }, ...more]);
        frames.add(id);
        return id;
    } });
    window.cancelAnimationFrame = new Proxy(leave, { apply(target, self, all) {
        frames.delete(all[0]);
        return Reflect.apply(target, self, all);
    } });
    // Timers are waited for if their delay is at most this, in milliseconds.
    const soon = () => [...timers.values()].some(delay => delay <= 100);
    let left = null;
    window.navigation?.addEventListener('navigate', event => left = event.destination.sameDocument ? null : event);
    const leaves = () => left && !left.defaultPrevented && !navigation.transition;
    const stays = () => left = null;
    Object.defineProperty(window, Symbol.for('minirepro'), { value: { timers, frames, soon, leaves, stays, set, ask } });
}
