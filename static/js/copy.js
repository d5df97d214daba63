// <button data-copy="text"> copies and says so for a moment.
document.addEventListener("click", async ({ target }) => {
  const button = target.closest?.("[data-copy]");
  if (!button) return;
  await navigator.clipboard.writeText(button.dataset.copy);
  const label = button.getAttribute("aria-label");
  button.setAttribute("aria-label", button.dataset.copied);
  button.classList.add("copied");
  setTimeout(() => {
    button.setAttribute("aria-label", label);
    button.classList.remove("copied");
  }, 1600);
});
