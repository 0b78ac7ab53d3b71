import { fieldOf, type PublishedFilter } from "@querybell/public-pages";
import { type Html, html } from "./html.ts";

export type Theme = "light" | "dark";

/** What the address of a page says besides its token. */
export interface PageView {
  /** Undefined: as the visitor's system. */
  theme: Theme | undefined;
  tab: string | undefined;
  /** The values that the visitor chose. */
  given: Readonly<Record<string, string>>;
}

export function toSearch({ theme, tab, given }: PageView): string {
  const search = new URLSearchParams({
    ...(theme !== undefined && { theme }),
    ...(tab !== undefined && { tab }),
    ...Object.fromEntries(Object.entries(given).map(([name, value]) => [fieldOf(name), value])),
  });
  return search.size === 0 ? "" : `?${search}`;
}

export interface FormPlace {
  path: string;
  view: PageView;
}

const hiddenInput = (name: string, value: string | undefined): Html | string =>
  value === undefined ? "" : html`<input type="hidden" name="${name}" value="${value}">`;

export const renderFilters = (filters: readonly PublishedFilter[], { path, view }: FormPlace): Html =>
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
  const offered = choices ?? (input === "boolean" ? booleans : null);
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
