// What a device keeps of the pages that it works with, the clock's and the camera's: they open
// while the network is away, and presses are kept till it is back. No other page is kept: what it
// shows would be old. The pages put themselves into the cache (`phone_line.js`).
/** @typedef {{ request: Request, respondWith: (answer: Promise<Response>) => void }} Answering */
/** @typedef {Event & Answering} Asked */

const KEPT = "takhte-pages";
const PAGES = ["/clock", "/camera"];
const PARTS = /^\/(static|words)\/|^\/(colours\.css|manifest\.json)$/;
/** So long the network may take before what is kept is shown. */
const PATIENCE_MS = 4000;

addEventListener("fetch", (event) => {
  const { request, respondWith } = /** @type {Asked} */ (event);
  const { origin, pathname } = new URL(request.url);
  const ours = PAGES.includes(pathname) || PARTS.test(pathname) || request.mode === "navigate";
  if (request.method !== "GET" || origin !== location.origin || !ours) return;
  respondWith.call(event, newest(request, pathname));
});

/**
 * The answer of the network, else what is kept, else the device's own page.
 * @param {Request} request
 * @param {string} pathname
 */
async function newest(request, pathname) {
  const cache = await caches.open(KEPT);
  const kept = await cache.match(request, { ignoreSearch: PAGES.includes(pathname) });
  const own = kept ? [] : (await cache.keys()).filter(({ url }) => isPage(url));
  const network = fetch(request);
  try {
    const answer = await (kept ? Promise.race([network, late()]) : network);
    if (kept && answer.ok) await cache.put(request, answer.clone());
    return answer;
  } catch (error) {
    if (kept) return kept;
    if (request.mode === "navigate" && own.length) return Response.redirect(own[0].url);
    throw error;
  }
}

/** @param {string} url */
const isPage = (url) => PAGES.includes(new URL(url).pathname);

/** @returns {Promise<never>} */
const late = () => new Promise((_, fail) => setTimeout(fail, PATIENCE_MS));
