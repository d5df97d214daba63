// A second click while the first is under way does nothing. The server guards itself; this spares a surprise.
{
  const free = (form) => { delete form.dataset.sent; form.removeAttribute("aria-busy"); };
  addEventListener("submit", (event) => {
    const form = event.target;
    if (form.getAttribute("method") !== "post") return;
    if (form.dataset.sent) {
      event.preventDefault();
      event.stopImmediatePropagation();
      return;
    }
    form.dataset.sent = "1";
    form.setAttribute("aria-busy", "true");
    setTimeout(free, 10000, form); // an answer that is a download never says that it came
  }, true);
  addEventListener("invalid", ({ target }) => target.form && free(target.form), true);
  document.addEventListener("htmx:finally:request", ({ target }) => target.matches?.("form") && free(target));
  addEventListener("pageshow", () => document.querySelectorAll("form[data-sent]").forEach(free));
}
