// Toasts go by themselves or by their button; an answer that went wrong is said at the form that asked.
{
  const area = document.getElementById("toasts");
  const STAY = 7000;
  const BY_ITSELF = "[hx-trigger=load]";
  const AGAIN = "[hx-trigger^=every]"; // the next answer says more; until then live.js tells that the server is away

  const expire = (toast) => {
    if (!toast.matches?.(".toast.passing")) return;
    const later = () => setTimeout(() => toast.matches(":hover, :focus-within") ? later() : toast.remove(), STAY);
    later();
  };
  new MutationObserver((changes) => changes.forEach((change) => change.addedNodes.forEach(expire)))
    .observe(area, { childList: true });
  [...area.children].forEach(expire);

  const place = (source) => source?.closest?.("form, [data-actions]")?.querySelector("[data-feedback]") ?? area;
  const say = (source, toast) => {
    const target = place(source);
    if (target !== area) return target.replaceChildren(toast);
    for (const older of [...area.children]) if (older.textContent.trim() === toast.textContent.trim()) older.remove();
    area.append(toast);
  };
  const prepared = (name) => document.getElementById(name).content.firstElementChild.cloneNode(true);
  const received = (html) => new DOMParser().parseFromString(html, "text/html").querySelector(".toast");

  document.addEventListener("click", ({ target }) => target.closest?.("[data-dismiss]")?.closest(".toast").remove());
  document.addEventListener("htmx:before:request", ({ detail }) => {
    const target = place(detail.ctx.sourceElement);
    if (target !== area) target.replaceChildren();
  });
  document.addEventListener("htmx:response:error", ({ detail: { ctx } }) => {
    const source = ctx.sourceElement;
    if (source.hasAttribute("hx-sse:connect") || ctx.hx.redirect) return;
    if (ctx.hx.retarget === "#toasts") ctx.status = "said";
    else if (ctx.response.status === 409 || ctx.response.status === 422) return;
    if (ctx.response.status >= 500 && source.matches(AGAIN)) return;
    say(source, (ctx.hx.retarget === "#toasts" && received(ctx.text)) || prepared("toast-refused"));
  });
  document.addEventListener("htmx:error", ({ detail: { ctx } }) => {
    if (ctx?.sourceElement && !ctx.response && !ctx.sourceElement.matches(`[hx-sse\\:connect], ${BY_ITSELF}, ${AGAIN}`))
      say(ctx.sourceElement, prepared("toast-offline"));
  });
  // What was said at a form is not lost when the page renews its forms.
  document.addEventListener("htmx:before:swap", ({ detail: { ctx } }) => {
    if (!ctx.sourceElement?.matches?.(BY_ITSELF)) return;
    const said = [...document.querySelectorAll("form [data-feedback] > .toast")].map((toast) => [toast.closest("form").action, toast]);
    ctx.sourceElement.addEventListener("htmx:after:swap", () => {
      for (const [action, toast] of said)
        if (!toast.isConnected) [...document.forms].find((form) => form.action === action)?.querySelector("[data-feedback]")?.append(toast);
    }, { once: true });
  });
}
