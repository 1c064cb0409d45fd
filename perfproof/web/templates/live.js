"use strict";
// Follows runs by server-sent events. Words are set as text, never as markup.

function follow(section) {
  const bar = section.querySelector("progress");
  const state = section.querySelector(".state");
  const ratio = section.querySelector(".ratio");
  const log = section.querySelector(".log");
  const source = new EventSource(section.dataset.events);

  source.addEventListener("open", () => log.replaceChildren()); // what was said is sent again
  source.addEventListener("news", (event) => {
    const news = JSON.parse(event.data);
    const left = news.left === null ? "" : `, ${Math.round(news.left)} s left`;
    if (news.overall !== null) bar.value = news.overall;
    if (news.state) { // a load test
      state.textContent = news.state;
      ratio.textContent = news.figures;
      return;
    }
    ratio.textContent = news.ratio ? `${news.target}: ${news.ratio} so far, not judged yet` : "";
    state.textContent = `${news.done} of ${news.total} done; ${news.target}: ${news.phase}${left}`;
    if (news.line) {
      const line = document.createElement("p");
      line.textContent = news.line;
      log.append(line);
    }
  });
  source.addEventListener("end", () => {
    source.close();
    bar.value = 1;
    ratio.textContent = "";
    state.textContent = "It has ended.";
    section.querySelector(".result").hidden = false;
  });
  source.addEventListener("error", () => {
    state.textContent = "The connection is lost; trying again.";
  });
}

for (const section of document.querySelectorAll("[data-events]")) follow(section);

const starts = new EventSource("/live/starts");
starts.addEventListener("start", () => {
  starts.close();
  location.reload();
});
