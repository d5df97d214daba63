// The one stream of a page: says when it is lost, tries a refused first connection again, leaves when the session ends.
// What a change asked the page to load, and could not be loaded just then, is loaded when the stream is back.
{
  const note = document.getElementById("live-lost");
  const stream = () => document.querySelector("[hx-sse\\:connect]");
  const PAUSES = [1000, 2000, 5000];
  const missed = new Set();
  let tries = 0;

  const lost = (yes) => { if (note) note.hidden = !yes; };
  const leave = () => {
    const url = new URL(document.body.dataset.login, location.href);
    url.searchParams.set("next", location.pathname + location.search);
    location.assign(url);
  };
  const again = () => {
    const element = stream();
    if (!element || element._htmx?.sse) return;
    if (document.hidden) document.addEventListener("visibilitychange", again, { once: true });
    else htmx.ajax("GET", element.getAttribute("hx-sse:connect"), { source: element });
  };
  const refused = (status) => {
    if (status === 401 || status === 403) return leave();
    lost(true);
    setTimeout(again, PAUSES[Math.min(tries++, PAUSES.length - 1)]);
  };
  const catchUp = () => {
    for (const part of missed)
      if (part.isConnected)
        htmx.ajax("GET", part.getAttribute("hx-get"), { source: part, target: part.getAttribute("hx-target"), swap: part.getAttribute("hx-swap") });
    missed.clear();
  };
  const ours = ({ detail: { ctx } }) => ctx?.sourceElement?.hasAttribute("hx-sse:connect");

  document.addEventListener("htmx:response:error", (event) => ours(event) && refused(event.detail.ctx.response.status));
  document.addEventListener("htmx:error", (event) => {
    const { ctx } = event.detail;
    if (!ctx || ctx.response) return;
    if (ours(event)) refused(0);
    else if (ctx.sourceElement?.matches("[hx-trigger=load]")) missed.add(ctx.sourceElement);
  });
  document.addEventListener("htmx:sse:error", ({ detail }) => (detail.status === 401 ? leave() : lost(true)));
  document.addEventListener("htmx:after:sse:connection", () => { tries = 0; lost(false); catchUp(); });
  document.addEventListener("gone", leave);
}
