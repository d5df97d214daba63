// A suggested value under a field: a click puts it in.
document.addEventListener("click", ({ target }) => {
  const button = target.closest("[data-fills]");
  if (!button) return;
  const field = document.getElementById(button.dataset.fills);
  field.value = button.dataset.value;
  field.dispatchEvent(new Event("input", { bubbles: true }));
  field.focus();
});
