// Over HTTP/1.1 a browser keeps six connections to a host. So of all visible pages only the four oldest hold a stream;
// the others ask now and then (live.js): <html data-live="ask">. A page that is hidden gives its turn away.
if (document.querySelector("[hx-sse\\:connect]") && !/^h[23]/.test(performance.getEntriesByType("navigation")[0]?.nextHopProtocol)) {
  const MOST = 4;
  const ANSWERS = 300;
  const AGAIN = 10000;
  const root = document.documentElement;
  const line = new BroadcastChannel("taskboard-live");
  const [since, id] = [performance.timeOrigin, Math.random()];
  const older = new Set();
  let gathering;

  const say = (ask) => line.postMessage({ since, id, ask, here: !document.hidden });
  const judge = () => {
    const turn = older.size >= MOST ? "ask" : "stream";
    if (root.dataset.live === turn || (gathering && turn === "stream")) return;
    root.dataset.live = turn;
    document.dispatchEvent(new Event("turn"));
  };
  const gathered = () => {
    gathering = 0;
    judge();
  };
  const look = () => {
    clearTimeout(gathering);
    gathering = setTimeout(gathered, ANSWERS);
    older.clear();
    say(true);
  };

  line.addEventListener("message", ({ data }) => {
    if (data.ask && !document.hidden) say(false);
    if (data.since > since || (data.since === since && data.id > id)) return;
    if (data.here) older.add(data.id);
    else older.delete(data.id);
    judge();
  });
  document.addEventListener("visibilitychange", () => document.hidden ? say(false) : look());
  addEventListener("pagehide", () => line.postMessage({ since, id, here: false }));
  addEventListener("pageshow", ({ persisted }) => persisted && look());
  setInterval(() => root.dataset.live === "ask" && !document.hidden && look(), AGAIN);
  look();
}
