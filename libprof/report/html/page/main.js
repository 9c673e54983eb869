// The page: what comes in which order, and the theme.

function headLine({about, report}) {
  document.getElementById("title").textContent = about;
  document.title = `${about} – slowtoken report`;
  const from = report.origin.utc ?
      `Recorded from ${report.origin.utc.slice(0, 10)} ${report.origin.utc.slice(11, 19)} UTC.` :
      "The trace does not say when it was recorded.";
  document.getElementById("subtitle").textContent = `${from} Times in this page count from there.`;
}

// Light or dark: as the system says, until the button says otherwise.
function startTheme() {
  const button = document.getElementById("theme"), system = window.matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (document.documentElement.dataset.theme || (system.matches ? "dark" : "light")) === "dark";
  const show = () => {
    button.textContent = isDark() ? "Light" : "Dark";
    button.setAttribute("aria-label", `Switch to the ${isDark() ? "light" : "dark"} theme`);
    redrawAll();
  };
  button.addEventListener("click", () => {
    document.documentElement.dataset.theme = isDark() ? "light" : "dark";
    show();
  });
  system.addEventListener("change", show);
  startPrinting(show);
  show();
}

function main() {
  const data = JSON.parse(document.getElementById("data").textContent);
  const chooser = new Chooser();
  headLine(data);
  showVerdict(data, chooser);
  showCoverage(data.report);
  showSummary(data);
  showCauses(data, chooser);
  showTtft(data);
  showStrip(data, chooser);
  showSlow(data, chooser);
  showBatches(data);
  showRequests(data, chooser);
  showMachine(data);
  showGraphs(data);
  showCollectives(data);
  showConditions(data);
  showGlossary(data);
  startTheme();
  startTerms();
  startKeys();
  document.documentElement.dataset.ready = "yes";
}

main();
