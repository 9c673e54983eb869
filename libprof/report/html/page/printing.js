// On paper: white, and as wide as paper is. Charts are drawn anew for it before the browser lays the pages out.

function startPrinting(show) {
  const root = document.documentElement;
  let theme;
  window.addEventListener("beforeprint", () => {
    theme = root.dataset.theme;
    root.dataset.theme = "light";
    root.dataset.printing = "yes";
    show();
  });
  window.addEventListener("afterprint", () => {
    if (theme)
      root.dataset.theme = theme;
    else
      delete root.dataset.theme;
    delete root.dataset.printing;
    show();
  });
}
