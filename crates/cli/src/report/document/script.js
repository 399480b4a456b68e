// Without this script all versions are a list, and texts are copied by hand.
"use strict";
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
