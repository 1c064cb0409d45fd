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
if (navigator.clipboard) {
  for (const command of document.querySelectorAll("pre.command")) {
    const button = document.createElement("button");
    button.className = "copy";
    button.type = "button";
    button.textContent = "Copy";
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(command.textContent);
      button.textContent = "Copied";
    });
    command.after(button);
  }
}
