import type { PublishedContent, PublishedFilter } from "@querybell/public-pages";
import { type Html, html } from "./html.ts";
import { type FrameLook, type RenderedPage, render, renderBody, type Theme } from "./render-page.ts";

/** What the address of a frame says besides its token. */
export interface FrameView {
  theme: Theme | undefined;
  tab: string | undefined;
  /** The visitor's values of open filters. */
  given: Readonly<Record<string, string>>;
}

/** The name of a filter's field. The prefix keeps it apart from `tab` and `theme`. */
export const fieldOf = (name: string): string => `f.${name}`;

function toSearch({ theme, tab, given }: FrameView): string {
  const search = new URLSearchParams({
    ...(theme !== undefined && { theme }),
    ...(tab !== undefined && { tab }),
    ...Object.fromEntries(Object.entries(given).map(([name, value]) => [fieldOf(name), value])),
  });
  return search.size === 0 ? "" : `?${search}`;
}

interface FrameToRender {
  content: PublishedContent;
  /** The path of the frame: `/e/<token>`. */
  path: string;
  /** Where the pictures are: their names are added. */
  files: string;
  view: FrameView;
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

interface FormPlace {
  path: string;
  view: FrameView;
}

const hiddenInput = (name: string, value: string | undefined): Html | string =>
  value === undefined ? "" : html`<input type="hidden" name="${name}" value="${value}">`;

const renderFilters = (filters: readonly PublishedFilter[], { path, view }: FormPlace): Html =>
  html`<form class="filters" method="get" action="${path}" aria-label="Filters">${hiddenInput("theme", view.theme)}${hiddenInput("tab", view.tab)}
${filters.map((filter, at) => renderFilter(filter, `filter-${at}`))}
<button type="submit">Apply</button>
${Object.keys(view.given).length > 0 ? html`<a href="${path}${toSearch({ ...view, given: {} })}">Reset</a>` : ""}
</form>
`;

function renderFilter(
  { name, label, description, input, value, choices }: PublishedFilter,
  id: string,
): Html {
  const attributes = html`id="${id}" name="${fieldOf(name)}"${description === "" ? "" : html` title="${description}"`}`;
  const offered = input === "boolean" ? booleans : choices;
  const field = offered
    ? renderChoices(offered, { value, attributes })
    : renderInput(input, { value, attributes });
  return html`<div><label for="${id}">${label}</label>${field}</div>\n`;
}

interface FieldParts {
  value: string;
  attributes: Html;
}

const booleans = [
  { value: "true", label: "Yes" },
  { value: "false", label: "No" },
];

function renderChoices(
  offered: readonly { value: string; label: string }[],
  { value, attributes }: FieldParts,
): Html {
  const others = offered.some((one) => one.value === value) ? [] : [{ value, label: value }];
  return html`<select ${attributes}>${[...others, ...offered].map(
    (one) =>
      html`<option value="${one.value}"${one.value === value ? html` selected` : ""}>${one.label === "" ? "(none)" : one.label}</option>`,
  )}</select>`;
}

function renderInput(input: PublishedFilter["input"], { value, attributes }: FieldParts): Html {
  // A field for days cannot show a relative date, such as that of a default.
  const isDay = input === "date" && (value === "" || /^\d{4}-\d{2}-\d{2}$/.test(value));
  const type = isDay ? "date" : "text";
  return html`<input ${attributes} type="${type}" value="${value}"${input === "number" ? html` inputmode="decimal"` : ""} maxlength="10000" autocomplete="off">`;
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
