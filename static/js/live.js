// The one stream of a page: says when it is lost, tries a refused connection again, leaves when the session ends.
// Where it may not be kept (turns.js), or brings nothing, the page asks for the same every few seconds instead.
// What a change asked the page to load, and could not be loaded just then, is loaded when the stream is back.
{
  const note = document.getElementById("live-lost");
  const stream = () => document.querySelector("[hx-sse\\:connect]");
  const PAUSES = [1000, 2000, 5000];
  const EVERY = 5000;
  const SILENCE = 35000; // three beats were missed: asleep, or something on the way holds them back
  const [MUTE, CLOSED] = [300000, 30000]; // so long no stream is tried where two brought nothing, or were refused
  const missed = new Set();
  let [tries, silences, heard, mute, opening, timer] = [0, 0, Date.now(), 0, false, 0];

  const lost = (yes) => { if (note) note.hidden = !yes; };
  const asks = () => document.documentElement.dataset.live === "ask" || Date.now() < mute;
  const question = (address) => `${address}${address.includes("?") ? "&" : "?"}once=1`;
  const leave = () => {
    const url = new URL(document.body.dataset.login, location.href);
    url.searchParams.set("next", location.pathname + location.search);
    lost(false);
    // Where something is typed the page stays, and says so (typed.js).
    if (document.dispatchEvent(new CustomEvent("session-over", { cancelable: true, detail: url.href }))) location.assign(url);
  };
  const begin = () => {
    clearTimeout(timer);
    const element = stream();
    if (!element || element._htmx?.sse || document.hidden) return;
    if (opening) return later(100);
    const address = element.getAttribute("hx-sse:connect");
    htmx.ajax("GET", asks() ? question(address) : address, { source: element });
  };
  const later = (pause) => {
    clearTimeout(timer);
    timer = setTimeout(begin, pause);
  };
  const end = () => {
    const open = stream()?._htmx?.sse;
    if (open?.reader) open.reader.cancel();
    else open?.abortController?.abort();
  };
  const refused = (status, asked) => {
    if (status === 401 || status === 403) return leave();
    if (tries++ && !asked) {
      mute = Date.now() + CLOSED;
      return later(0);
    }
    lost(true);
    later(PAUSES[Math.min(tries, PAUSES.length) - 1]);
  };
  const catchUp = () => {
    for (const part of missed)
      if (part.isConnected)
        htmx.ajax("GET", part.getAttribute("hx-get"), { source: part, target: part.getAttribute("hx-target"), swap: part.getAttribute("hx-swap") });
    missed.clear();
  };
  const back = () => {
    heard = Date.now();
    lost(false);
    catchUp();
  };
  const ours = ({ detail: { ctx } }) => ctx?.sourceElement?.hasAttribute("hx-sse:connect");
  const asksAgain = ({ detail: { ctx } }) => !stream() && ctx?.sourceElement?.matches?.("[hx-trigger^=every]");
  const isQuestion = ({ detail: { ctx } }) => /[?&]once=/.test(ctx.request.action);

  document.addEventListener("htmx:before:request", (event) => {
    if (!ours(event)) return;
    opening = !document.hidden && (isQuestion(event) || !asks());
    if (opening) return;
    event.preventDefault();
    later(0);
  });
  document.addEventListener("htmx:finally:request", (event) => {
    if (asksAgain(event) && event.detail.ctx.response) lost(event.detail.ctx.response.status >= 500);
    if (!ours(event)) return;
    opening = false;
    if (event.detail.ctx.response?.status !== 200 || event.target._htmx?.sse) return;
    back();
    later(asks() ? EVERY : 0);
  });
  document.addEventListener("htmx:response:error", (event) => ours(event) && refused(event.detail.ctx.response.status, isQuestion(event)));
  document.addEventListener("htmx:error", (event) => {
    const { ctx } = event.detail;
    if (!ctx || ctx.response) return;
    if (ours(event)) refused(0, isQuestion(event));
    else if (ctx.sourceElement?.matches("[hx-trigger=load]")) missed.add(ctx.sourceElement);
    else if (asksAgain(event)) lost(true);
  });
  document.addEventListener("htmx:sse:error", ({ detail }) => (detail.status === 401 ? leave() : lost(true)));
  document.addEventListener("htmx:before:sse:connection", (event) => {
    if (asks() && event.detail.connection.attempt) event.preventDefault();
  });
  document.addEventListener("htmx:after:sse:connection", () => {
    tries = 0;
    back();
    if (asks()) setTimeout(end);
  });
  document.addEventListener("htmx:after:sse:message", () => { [silences, heard] = [0, Date.now()]; });
  document.addEventListener("htmx:sse:close", () => later(0));
  document.addEventListener("turn", () => (asks() ? end() : begin()));
  document.addEventListener("visibilitychange", () => {
    heard = Date.now();
    begin();
  });
  document.addEventListener("gone", leave);
  setInterval(() => {
    const open = stream()?._htmx?.sse;
    if (document.hidden || !open || Date.now() - heard < SILENCE) return;
    heard = Date.now();
    if (open.reader && silences++) mute = heard + MUTE;
    lost(true);
    end();
  }, 5000);
}
