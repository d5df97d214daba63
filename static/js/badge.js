// How many questions wait for this person stands in the title too, and follows the badge.
{
  const badge = () => document.getElementById("approvals-badge");
  const follow = () => {
    const count = parseInt(badge()?.firstChild?.textContent ?? "", 10) || 0;
    const bare = document.title.replace(/^\(\d+\) /, "");
    const title = count ? `(${count}) ${bare}` : bare;
    if (title !== document.title) document.title = title;
  };
  if (badge()) new MutationObserver(follow).observe(badge().parentElement, { childList: true, subtree: true, characterData: true });
}
