// An answer can be taken back for a few seconds: its toast counts them down, then goes. The key is that of the last one.
{
  const begin = (toast) => {
    const clock = toast.querySelector?.("[data-seconds]");
    if (!clock) return;
    for (const older of document.querySelectorAll(".undo [data-hotkey]"))
      if (!toast.contains(older)) older.removeAttribute("data-hotkey");
    let left = Number(clock.dataset.seconds);
    const turn = setInterval(() => {
      clock.textContent = left -= 1;
      if (left > 0 && toast.isConnected) return;
      clearInterval(turn);
      toast.remove();
    }, 1000);
  };
  new MutationObserver((changes) => changes.forEach((change) => change.addedNodes.forEach(begin)))
    .observe(document.getElementById("toasts"), { childList: true });
  document.addEventListener("htmx:after:request", ({ target }) => target.closest?.(".undo")?.remove());
}
