// Ticked rows: how many there are, and one tick for all rows shown. Rows may come and go by live updates.
{
  const rows = () => [...document.querySelectorAll("input[form=pick]:is([name=item], [name=question])")];
  const told = document.querySelector("[data-picked]");
  const all = document.querySelector("[data-pick-all]");
  const form = document.getElementById("pick");

  const count = () => {
    const ticked = rows().filter((row) => row.checked).length;
    if (told) told.textContent = ticked === 1 ? told.dataset.one : ticked ? told.dataset.many.replace("%n", ticked) : "";
    for (const button of form?.querySelectorAll("button") ?? []) button.disabled = !ticked && !form.elements.all.checked;
    if (all) {
      all.checked = ticked > 0 && ticked === rows().length;
      all.indeterminate = ticked > 0 && !all.checked;
    }
  };
  document.addEventListener("change", ({ target }) => {
    if (target === all) for (const row of rows()) row.checked = all.checked;
    if (target === all || target.form === form) count();
  });
  document.addEventListener("htmx:after:swap", count);
  addEventListener("pageshow", count);
}
