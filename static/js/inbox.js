// The list follows the card: its row is marked, its address shown, its heading in focus. A letter says what
// Ctrl+Enter will press; a long text is approved only after its end was on the screen, where the proof of it lies.
// A question that was settled elsewhere takes no answer here any more; what was typed stays, and comes back with its card.
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

  const reader = new IntersectionObserver((seen) => {
    for (const { isIntersecting, target } of seen) {
      if (!isIntersecting) continue;
      reader.unobserve(target);
      const button = document.querySelector(`[data-after-reading="${target.id}"]`);
      if (button) {
        button.form.elements.read.value = target.dataset.read;
        button.disabled = false;
      }
      document.getElementById(button?.dataset.readNote)?.remove();
    }
  }, { rootMargin: "0px 0px -64px" });
  const watch = () => {
    for (const button of document.querySelectorAll("[data-after-reading]:disabled"))
      reader.observe(document.getElementById(button.dataset.afterReading));
  };

  const drafts = new Map();
  const remember = ({ target }) => target.matches?.(".decide [name=reason]") && drafts.set(target.id, target.value);
  const recall = () => {
    const field = document.querySelector("#question .decide [name=reason]");
    if (field && !field.value) field.value = drafts.get(field.id) ?? "";
  };

  const lock = (form, over) => {
    form.dataset.over = over;
    form.querySelector(".decide-actions").hidden = Boolean(over);
    for (const field of form.querySelectorAll("textarea, input")) field.readOnly = Boolean(over);
  };
  let before; // the badge that the card had while it took answers
  const shut = (form, over, badge) => {
    const status = document.getElementById("card-status");
    if (over) before = status.firstElementChild;
    if (form.contains(document.activeElement) && document.activeElement.matches("button")) title().focus({ preventScroll: true });
    lock(form, over);
    if (badge) status.replaceChildren(badge);
  };
  const settle = () => {
    const [news, answer] = [document.getElementById("record-news"), document.querySelector("#record form.decide:not([data-sent])")];
    if (news && answer) return lock(answer, news.childElementCount ? "settled" : "");
    const form = document.querySelector("#question form.decide:not([data-sent], [data-over=refused])");
    const row = document.getElementById(`row-${title()?.dataset.question}`);
    if (!form || !row) return;
    const over = row.classList.contains("queue-settled") ? "settled" : "";
    if (over === (form.dataset.over ?? "")) return;
    const badge = over ? row.querySelector(".status").cloneNode(true) : before;
    badge.classList.remove("quiet");
    shut(form, over, badge);
    const said = over ? [document.getElementById("question-settled").content.cloneNode(true)] : [];
    form.querySelector("[data-feedback]").replaceChildren(...said);
  };
  const refuse = (form) =>
    shut(form, "refused", form.querySelector("[data-status]")?.content.firstElementChild.cloneNode(true));

  mark();
  watch();
  let shown = title();
  document.addEventListener("input", remember);
  document.addEventListener("htmx:after:swap", ({ detail: { ctx } }) => {
    const chosen = mark();
    settle();
    // The element and not its number: a question that comes again, or one that went by in between, is drawn anew too.
    if (title() === shown) return;
    shown = title();
    watch();
    recall();
    document.getElementById("inbox").classList.toggle("split-open", Boolean(chosen));
    const pane = document.getElementById("question");
    pane.scrollTop = 0;
    document.getElementById(`row-${chosen}`)?.scrollIntoView({ block: "nearest" });
    // On a phone the page itself scrolls: the next question begins at its title, not where the last one was left.
    pane.scrollIntoView({ block: "start", behavior: "instant" });
    // A row has its address from htmx; who has gone back meanwhile stands at another entry, which is not ours to name.
    if (chosen && ctx?.sourceElement?.closest?.("form")) history.replaceState(history.state, "", title().dataset.address);
    title()?.focus({ preventScroll: true });
  });
  document.addEventListener("htmx:response:error", ({ detail: { ctx } }) => {
    const form = ctx.sourceElement.closest?.("#question form.decide");
    if (form && ctx.response.status === 409) refuse(form);
    if (ctx.response.status !== 422) return;
    const fields = [...ctx.sourceElement.querySelectorAll?.("[name=confirmed]:not(:checked), [name=reason]") ?? []];
    (fields.find((field) => field.type === "checkbox" || !field.value.trim()) ?? fields[0])?.focus();
  });

  const intend = (form, id) => {
    form.dataset.intends = id;
    for (const button of form.querySelectorAll("button[name=outcome]")) button.classList.toggle("intended", button.id === id);
  };
  document.addEventListener("click", ({ target }) => {
    if (target.closest?.(".queue-row")) document.getElementById("inbox")?.classList.add("split-open");
    const key = target.closest?.("[data-focus], [data-confirms], [data-ticks]");
    if (!key) return;
    if ("ticks" in key.dataset) return document.getElementById(key.dataset.ticks)?.click();
    if ("confirms" in key.dataset) return document.getElementById(key.form.dataset.intends)?.click();
    intend(key.form, key.dataset.intends);
    const place = document.getElementById(key.dataset.focus);
    const folded = place.closest("details");
    if (folded) folded.open = true;
    place.focus();
  });
}
