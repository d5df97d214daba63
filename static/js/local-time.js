// Keeps "3 min ago" true while a page stays open; words and steps come from the server.
{
  const words = JSON.parse(document.body.dataset.ago);
  const say = (seconds) => {
    const [past, future] = [seconds >= 0, seconds < 0];
    const size = Math.abs(seconds);
    if (size < 45) return past ? words.now : words.soon;
    const [unit, n] = size < 5400 ? ["min", size / 60] : size < 129600 ? ["h", size / 3600] : ["d", size / 86400];
    return words[(future ? "in_" : "") + unit].replace("%(n)s", Math.max(1, Math.round(n)));
  };
  const refresh = () => {
    for (const time of document.querySelectorAll("time[data-ago]")) {
      const text = say((Date.now() - Date.parse(time.dateTime)) / 1000);
      if (time.textContent !== text) time.textContent = text;
    }
  };
  setInterval(refresh, 15000);
  document.addEventListener("visibilitychange", () => document.hidden || refresh());
}
