// In a frame of another site: tells the page around it how high this page is and what it shows, and follows its theme. It talks
// only with a site that the key of embedding names, after that site has spoken first.
const { origins = "", state } = document.documentElement.dataset;
const allowed = origins.split(" ");

/** @type {string | undefined} */
let parentOrigin;

/** @param {object} message */
function send(message) {
  if (parentOrigin !== undefined)
    window.parent.postMessage({ source: "querybell", ...message }, parentOrigin);
}

const sendSize = () =>
  send({ type: "size", height: Math.ceil(document.body.getBoundingClientRect().height) });

/** @returns {Record<string, string>} The values that the visitor has chosen. */
const readFilters = () =>
  Object.fromEntries(
    [...new URLSearchParams(location.search)]
      .filter(([name, value]) => name.startsWith("f.") && value !== "")
      .map(([name, value]) => [name.slice(2), value]),
  );

/** @param {unknown} theme */
function setTheme(theme) {
  const address = new URL(location.href);
  if (theme === "light" || theme === "dark") address.searchParams.set("theme", theme);
  else address.searchParams.delete("theme");
  // The pictures are drawn for a theme, so the page is loaded again.
  if (address.href !== location.href) location.replace(address.href);
}

window.addEventListener("message", ({ source, origin, data }) => {
  if (source !== window.parent || !allowed.includes(origin) || data?.source !== "querybell-parent") return;
  if (data.type === "hello") {
    parentOrigin = origin;
    send({ type: state, title: document.title, filters: readFilters() });
    sendSize();
  }
  if (data.type === "theme") setTheme(data.theme);
});

new ResizeObserver(sendSize).observe(document.body);
