import type { PublishedContent } from "@querybell/public-pages";
import { html } from "./html.ts";
import { type FormPlace, type PageView, renderFilters, toSearch } from "./render-filters.ts";
import { type FrameLook, type RenderedPage, render, renderBody } from "./render-page.ts";

interface FrameToRender {
  content: PublishedContent;
  /** The path of the frame: `/e/<token>`. */
  path: string;
  /** Where the pictures are: their names are added. */
  files: string;
  view: PageView;
  origins: readonly string[];
}

export function renderFrame({ content, path, files, view, origins }: FrameToRender): RenderedPage {
  const tab = content.tabs.find(({ id }) => id === view.tab) ?? content.tabs[0];
  if (!tab) return renderMessage("There is nothing on this page.", { view, path, origins, state: "failed" });
  const { filters = [], title } = content;
  return render({
    title,
    frame: { origins, theme: view.theme, state: "ready" },
    ...renderBody(content, {
      ...{ tab, files, hidden: new Set<string>(), theme: view.theme },
      toTab: (id) => `${path}${toSearch({ ...view, tab: id })}`,
      ...(filters.length > 0 && { form: renderFilters(filters, { path, view }) }),
    }),
  });
}

interface MessagePlace extends FormPlace, Pick<FrameLook, "origins" | "state"> {}

/** A page that says why nothing is shown, or not yet. */
export const renderMessage = (text: string, { path, view, origins, state }: MessagePlace): RenderedPage =>
  render({
    title: state === "waiting" ? "Loading" : "Not shown",
    frame: { origins, theme: view.theme, state },
    body: html`<main class="card"><h1>${state === "waiting" ? "Loading" : "Not shown"}</h1>
<p role="status">${text}</p>
${Object.keys(view.given).length > 0 && state === "failed" ? html`<p><a href="${path}${toSearch({ ...view, given: {} })}">Go back to the first values</a></p>` : ""}</main>`,
  });
