// Toasts go by themselves or by their button; an answer that went wrong is said at the form that asked.
{
  const area = document.getElementById("toasts");
  const STAY = 7000;

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
    if (target === area) area.append(toast);
    else target.replaceChildren(toast);
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
    say(source, (ctx.hx.retarget === "#toasts" && received(ctx.text)) || prepared("toast-refused"));
  });
  document.addEventListener("htmx:error", ({ detail: { ctx } }) => {
    if (ctx?.sourceElement && !ctx.response && !ctx.sourceElement.hasAttribute("hx-sse:connect"))
      say(ctx.sourceElement, prepared("toast-offline"));
  });
}
