"use strict";
// Comfort only: the page is complete without it. Opens what is folded before printing (but for what is bulky), and copies commands.
let folded = [];
addEventListener("beforeprint", () => {
  folded = [...document.querySelectorAll("details:not([open]):not(.bulk)")];
  for (const one of folded) one.open = true;
});
addEventListener("afterprint", () => {
  for (const one of folded) one.open = false;
});

async function copy(code) {
  try {
    await navigator.clipboard.writeText(code.textContent);
    return true;
  } catch {
    getSelection().selectAllChildren(code); // a page that is not local has no clipboard: select, and ask the old way
    return document.execCommand("copy");
  }
}

for (const command of document.querySelectorAll("pre.command")) {
  const code = command.querySelector("code");
  const button = document.createElement("button");
  button.className = "copy";
  button.type = "button";
  button.textContent = "Copy";
  button.setAttribute("aria-label", `Copy: ${code.textContent}`);
  button.addEventListener("click", async () => {
    button.textContent = (await copy(code)) ? "Copied" : "Press Ctrl-C";
    button.setAttribute("aria-live", "polite");
  });
  command.append(button);
}
