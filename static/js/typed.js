// What was typed outlives the session: the page stays and says that one is logged out, and after the login the text is
// back. It is kept in this tab only, for the same person only, never a password or a secret; to log out forgets it.
{
  const KEY = "taskboard-typed";
  const user = document.body.dataset.user ?? ""; // nobody at the door
  const TEXT = "textarea, input:is(:not([type]), [type=text], [type=number], [type=email], [type=url], [type=date], [type=datetime-local])";
  const SECRET = "[data-secret], [autocomplete=one-time-code], [autocomplete$=password]";
  const typed = new Map();
  let [over, waiting] = [false, false]; // texts may wait for a form that is not on this page, or not yet

  const address = (form) => form.getAttribute("action") || location.pathname;
  const name = (field) => `${address(field.form)} ${field.id || field.name}`;
  const posted = (form) => form?.getAttribute("method") === "post";
  const kept = (field) => field.name && !field.matches(SECRET) && field.matches(`select:not([multiple]), ${TEXT}`);
  const usual = (field) => field.defaultValue ?? ([...field.options].find((one) => one.defaultSelected) ?? field.options[0])?.value;
  const fields = (form) => [...form.elements].filter(kept);
  const forms = () => [...document.forms].filter(posted);

  const read = () => {
    try {
      const found = JSON.parse(sessionStorage.getItem(KEY));
      return found?.user === user || !user ? found : null;
    } catch { return null; }
  };
  const write = (found) => {
    try {
      if (found) sessionStorage.setItem(KEY, JSON.stringify(found));
      else sessionStorage.removeItem(KEY);
    } catch { /* where nothing may be stored, the page still stays */ }
  };
  const keep = (lost, sent) => {
    const begun = forms().filter((form) => form === sent || fields(form).some((field) => typed.has(name(field))));
    const texts = [...typed, ...begun.flatMap(fields).map((field) => [name(field), field.value])];
    if (user && texts.length) write({ user, lost, texts: Object.fromEntries(texts) });
  };
  const forget = (form) => {
    for (const key of [...typed.keys()]) if (key.startsWith(`${address(form)} `)) typed.delete(key);
  };

  const fill = (field, text) => {
    field.value = text;
    field.dispatchEvent(new Event("input", { bubbles: true }));
    for (let folded = field.closest("details"); folded; folded = folded.parentElement.closest("details")) folded.open = true;
  };
  const recall = (form, texts) => {
    const back = fields(form).filter((field) => field.value === usual(field) && (texts[name(field)] ?? field.value) !== field.value);
    for (const field of back) fill(field, texts[name(field)]);
    for (const field of fields(form)) delete texts[name(field)];
    if (!back.length) return;
    const said = document.getElementById("typed-back").content.cloneNode(true);
    (form.querySelector("[data-feedback]") ?? document.getElementById("toasts")).append(said);
  };
  const arrive = () => {
    const found = read();
    if (!user) return found && write({ ...found, lost: true });
    waiting = found?.lost === true;
    if (!waiting) return write(null);
    for (const form of forms()) recall(form, found.texts);
    waiting = Object.keys(found.texts).length > 0;
    write(waiting && found);
  };

  document.addEventListener("input", ({ target }) => {
    if (!target.matches(TEXT) || !posted(target.form) || !kept(target)) return;
    if (target.value === target.defaultValue) typed.delete(name(target));
    else typed.set(name(target), target.value);
  });
  document.addEventListener("session-over", (event) => {
    const note = document.getElementById("logged-out");
    if (!typed.size || !note) return;
    event.preventDefault();
    over = true;
    note.querySelector("a").href = event.detail;
    note.hidden = false;
  });
  document.addEventListener("submit", ({ target, defaultPrevented }) => {
    if ("forgets" in target.dataset) {
      typed.clear();
      write(null);
    } else if (posted(target) && !defaultPrevented) keep(false, target);
  });
  document.addEventListener("htmx:after:request", (event) => {
    const { ctx } = event.detail;
    const form = ctx.request.method === "POST" && ctx.sourceElement.closest?.("form");
    const out = ctx.hx?.redirect?.startsWith(document.body.dataset.login);
    if (form && out) keep(true, form);
    else if (form && ctx.response.status < 300) forget(form);
    else if (out && !document.dispatchEvent(new CustomEvent("session-over", { cancelable: true, detail: ctx.hx.redirect }))) event.preventDefault();
  });
  addEventListener("pagehide", () => over && keep(true));
  document.addEventListener("htmx:after:swap", () => waiting && arrive());
  addEventListener("DOMContentLoaded", arrive);
}
