// For the page that shows a frame: QuerybellEmbed.show(element, { url, theme, onEvent }). See docs/embedding.md.
(() => {
  /**
   * @typedef {object} Options
   * @property {string} url The address that a token was exchanged for.
   * @property {string} [title] What screen readers say of the frame.
   * @property {"light" | "dark" | "auto"} [theme]
   * @property {(event: { type: string, title?: string, filters?: Record<string, string>, height?: number }) => void} [onEvent]
   */

  /**
   * @param {HTMLElement} element
   * @param {Options} options
   */
  function show(element, { url, title = "Chart", theme = "auto", onEvent = () => {} }) {
    const address = new URL(url);
    if (theme !== "auto") address.searchParams.set("theme", theme);
    const frame = document.createElement("iframe");
    frame.title = title;
    frame.referrerPolicy = "no-referrer";
    frame.style.border = "0";
    frame.style.width = "100%";
    frame.style.height = "320px";

    /** @param {object} message */
    const send = (message) =>
      frame.contentWindow?.postMessage({ source: "querybell-parent", ...message }, address.origin);

    /** @param {MessageEvent} message */
    const receive = ({ source, origin, data }) => {
      if (source !== frame.contentWindow || origin !== address.origin || data?.source !== "querybell") return;
      if (data.type === "size" && Number.isFinite(data.height)) {
        frame.style.height = `${Math.min(Math.max(data.height, 40), 20_000)}px`;
      }
      const { source: _, ...event } = data;
      onEvent(event);
    };

    window.addEventListener("message", receive);
    /** @type {"light" | "dark" | "auto" | undefined} */
    let chosenTheme;
    const sendTheme = () => send({ type: "theme", theme: chosenTheme });

    // Every page of the frame is greeted: it answers nobody else. One that was still loading has missed the theme.
    frame.addEventListener("load", () => {
      send({ type: "hello" });
      if (chosenTheme !== undefined) sendTheme();
    });
    frame.src = address.href;
    element.replaceChildren(frame);
    return {
      frame,
      /** @param {"light" | "dark" | "auto"} next */
      setTheme(next) {
        chosenTheme = next;
        sendTheme();
      },
      remove() {
        window.removeEventListener("message", receive);
        frame.remove();
      },
    };
  }

  Object.assign(window, { QuerybellEmbed: { show } });
})();
