// data-hotkey="j" clicks (or focuses, for fields) its element. Single keys can be switched off in the "?" dialog, which
// lists each visible element with a data-hotkey-label, and each key named by data-lists: its element may come and go.
{
  const list = document.getElementById("hotkeys");
  const off = () => { try { return localStorage.getItem("hotkeys") === "off"; } catch { return false; } };
  const visible = (element) => (element.checkVisibility() || element.closest("details.menu")) && !element.disabled;
  const typing = (element) => element.matches("textarea, select, [contenteditable], input:not([type=checkbox], [type=radio])");
  const name = ({ key, ctrlKey, metaKey }) => (ctrlKey || metaKey ? "ctrl+" : "") + key.toLowerCase();

  const find = (key) => {
    const scope = document.querySelector("dialog[open]") ?? document;
    const inForm = document.activeElement?.form?.querySelectorAll(`[data-hotkey="${CSS.escape(key)}"]`) ?? [];
    return [...inForm, ...scope.querySelectorAll(`[data-hotkey="${CSS.escape(key)}"]`)].find(visible);
  };

  addEventListener("keydown", (event) => {
    const key = name(event);
    const combined = key.startsWith("ctrl+");
    if (event.altKey || event.isComposing || (!combined && (off() || typing(event.target)))) return;
    const element = find(key);
    if (!element) return;
    event.preventDefault();
    if (typing(element)) element.focus();
    else element.click();
  });

  document.addEventListener("click", ({ target }) => {
    if (!target.closest?.("[data-opens=hotkeys]")) return;
    const rows = [...document.querySelectorAll("[data-hotkey-label]")].filter((row) => row.dataset.lists || visible(row));
    list.querySelector("dl").replaceChildren(...rows.flatMap((element) => {
      const [term, text] = [document.createElement("dt"), document.createElement("dd")];
      term.append(document.createElement("kbd"));
      term.firstChild.textContent = (element.dataset.lists ?? element.dataset.hotkey).replace("ctrl+enter", "Ctrl+Enter");
      text.textContent = element.dataset.hotkeyLabel;
      return [term, text];
    }));
  }, true);

  const box = list.querySelector("input");
  box.checked = !off();
  box.addEventListener("change", () => {
    try { localStorage.setItem("hotkeys", box.checked ? "on" : "off"); } catch { /* a private window forgets it */ }
  });
}
