// <button data-opens="id"> opens a dialog; menus close on Escape, those of the frame on a click elsewhere as well.
document.addEventListener("click", ({ target }) => {
  const opener = target.closest?.("[data-opens]");
  if (opener) document.getElementById(opener.dataset.opens).showModal();
  for (const menu of document.querySelectorAll("details.menu[open]")) if (opener || !menu.contains(target)) menu.open = false;
});
document.addEventListener("keydown", ({ key, target }) => {
  const menu = key === "Escape" && target.closest?.("details:is(.menu, .menu-action)[open]");
  if (!menu) return;
  menu.open = false;
  menu.querySelector("summary").focus();
});
