// The list follows the card: the chosen row is marked, the card begins at its top with its heading in focus.
{
  const title = () => document.getElementById("question-title");
  const mark = () => {
    const chosen = title()?.dataset.question;
    for (const row of document.querySelectorAll("#questions .queue-row")) {
      if (row.id === `row-${chosen}`) row.setAttribute("aria-current", "true");
      else row.removeAttribute("aria-current");
    }
    return chosen;
  };
  let shown = mark();

  document.addEventListener("htmx:after:swap", () => {
    const chosen = mark();
    if (chosen === shown) return;
    shown = chosen;
    document.getElementById("inbox").classList.toggle("split-open", Boolean(chosen));
    document.getElementById("question").scrollTop = 0;
    document.getElementById(`row-${chosen}`)?.scrollIntoView({ block: "nearest" });
    title()?.focus({ preventScroll: true });
  });
  document.addEventListener("htmx:response:error", ({ detail: { ctx } }) => {
    if (ctx.response.status !== 422) return;
    const fields = [...ctx.sourceElement.querySelectorAll?.("textarea, input[type=text]") ?? []];
    (fields.find((field) => !field.value.trim()) ?? fields[0])?.focus();
  });
  document.addEventListener("click", ({ target }) => {
    if (target.closest?.(".queue-row")) document.getElementById("inbox").classList.add("split-open");
    const id = target.closest?.("[data-focus]")?.dataset.focus;
    if (id) document.getElementById(id).focus();
  });
}
