// A finished match: arrow keys step through it, a position is shared by its address.
import "./page.js";

const share = document.getElementById("share");
if (share) {
  share.hidden = !navigator.share && !navigator.clipboard;
  share.addEventListener("click", () => {
    const url = location.href.split("?")[0];
    const shared = navigator.share ? navigator.share({ url }) : navigator.clipboard.writeText(url);
    // Whoever closes the share sheet again has shared nothing, and knows it.
    shared.catch(() => undefined);
  });
}

const embed = document.getElementById("embed");
if (embed) {
  const address = new URL(embed.dataset.path ?? "", location.href).href;
  embed.textContent = `<iframe src="${address}" width="440" height="480"></iframe>`;
}

const sheet = document.getElementById("moves");
const current = /** @type {HTMLElement | null} */ (sheet?.querySelector("[aria-current]"));
if (sheet && current) {
  // The sheet alone is scrolled: the board stays where it is.
  const above = current.getBoundingClientRect().top - sheet.getBoundingClientRect().top;
  sheet.scrollTop += above - (sheet.clientHeight - current.offsetHeight) / 2;
}

/** In a page that is read from the right, the next step lies to the left. */
const later = document.documentElement.dir === "rtl" ? "ArrowLeft" : "ArrowRight";
const earlier = document.documentElement.dir === "rtl" ? "ArrowRight" : "ArrowLeft";
document.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey) return;
  const id = { [later]: "later", [earlier]: "earlier" }[event.key];
  const link = id ? document.getElementById(id) : null;
  if (link) link.click();
});
