// Applies the chosen theme before the first paint, and keeps the choice. Loaded without defer on purpose.
{
  const root = document.documentElement;
  root.classList.add("js");
  const read = () => { try { return localStorage.getItem("theme") || "auto"; } catch { return "auto"; } };
  const apply = (theme) => {
    if (theme === "auto") delete root.dataset.theme;
    else root.dataset.theme = theme;
  };
  apply(read());
  addEventListener("storage", () => apply(read()));
  addEventListener("DOMContentLoaded", () => {
    for (const input of document.querySelectorAll("input[name=theme]")) input.checked = input.value === read();
  });
  addEventListener("change", ({ target }) => {
    if (target.name !== "theme") return;
    try { localStorage.setItem("theme", target.value); } catch { /* a private window forgets it */ }
    apply(target.value);
  });
}
