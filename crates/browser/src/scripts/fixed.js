{
    let state = SEED | 0, passed = 0;
    Math.random = () => {
        state = (state + 0x6D2B79F5) | 0;
        let t = Math.imul(state ^ (state >>> 15), 1 | state);
        t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
        return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
    };
    const start = Date.UTC(2020, 0, 1), Real = Date;
    const now = () => start + passed++;
    performance.now = () => passed++;
    Date = new Proxy(Real, {
        construct: (target, given, self) => Reflect.construct(target, given.length ? given : [now()], self),
        apply: () => new Real(now()).toString(),
        get: (target, name) => name === 'now' ? now : target[name],
    });
    Real.prototype.constructor = Date;
}
