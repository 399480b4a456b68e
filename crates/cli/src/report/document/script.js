// Without this script all versions are a list, no curve is drawn, and texts are copied by hand.
"use strict";
// The sizes on the way down: tokens over tests, on a logarithmic scale; colours come from the style sheet.
for (const box of document.querySelectorAll(".curve")) {
  const curve = JSON.parse(box.dataset.sizes);
  const [first, last, tests] = [curve[0][1], curve.at(-1)[1], curve.at(-1)[0]];
  const [width, height, left, bottom, margin] = [720, 220, 84, 28, 12];
  const log = (size) => Math.log10(Math.max(size, 1));
  const [top, floor] = [log(Math.max(first, 2)), Math.max(log(last) - 0.1, 0)];
  const x = (at) => left + (width - left - margin) * at / tests;
  const y = (size) =>
    margin + (height - bottom - margin) * (1 - (log(size) - floor) / Math.max(top - floor, 1e-9));
  const shown = (number) => number.toLocaleString("en");
  const text = (at, line, anchor, words) =>
    `<text x="${at}" y="${line}" text-anchor="${anchor}">${words}</text>`;
  // Round numbers between both sizes, at most about six.
  const round = (...digits) => [...Array(19).keys()]
    .flatMap((power) => digits.map((digit) => digit * 10 ** power))
    .filter((size) => Math.max(last, 1) <= size && size <= first);
  const [all, tens] = [round(1, 2, 5), round(1)];
  const every = Math.max(Math.ceil(tens.length / 6), 1);
  const ticks = all.length <= 6 ? all : tens.filter((_, nth) => nth % every === 0);
  const lines = ticks.map((size) =>
    `<line class="grid" x1="${left}" x2="${width - margin}" y1="${y(size)}" y2="${y(size)}"/>`
    + text(left - 8, y(size) + 4, "end", shown(size)));
  const path = `M${left} ${y(first)}`
    + curve.slice(1).map(([at, size]) => `H${x(at)}V${y(size)}`).join("");
  box.setAttribute("aria-label",
    `tokens over tests: from ${shown(first)} to ${shown(last)} in ${shown(tests)} tests`);
  box.closest("figure").hidden = false;
  // Nothing but numbers goes into it.
  box.innerHTML = `<svg viewBox="0 0 ${width} ${height}">${lines.join("")}`
    + text(left, height - 8, "start", "0")
    + text(x(tests), height - 8, "end", `${shown(tests)} tests`)
    + `<path class="area" d="${path}V${height - bottom}H${left}Z"/><path class="line" d="${path}"/>`
    + `<circle class="end" cx="${x(tests)}" cy="${y(last)}" r="3.5"/></svg>`;
}
for (const box of document.querySelectorAll(".steps")) {
  const steps = [...box.querySelectorAll(".step")];
  const label = box.querySelector(".slider");
  const range = label.querySelector("input");
  const show = () => steps.forEach((step, nth) => {
    step.hidden = nth !== Number(range.value);
    step.open = !step.hidden;
  });
  label.hidden = steps.length < 2;
  range.addEventListener("input", show);
  show();
}
for (const button of document.querySelectorAll(".copy")) {
  const code = button.closest("section").querySelector("pre");
  if (!code || !navigator.clipboard) continue;
  button.hidden = false;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(code.textContent);
    button.textContent = "Copied";
  });
}
