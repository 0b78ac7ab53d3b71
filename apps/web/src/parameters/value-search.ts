import type { ValueTexts } from "./parameter-values.ts";

// On the page of a query, values stand in the address beside the tab: `?tab=runs&p.since=2026-01-01`.

const prefix = "p.";

export type ValueSearch = { [Name in `p.${string}`]?: string };

/** The values of parameters in the address of a query's page. */
export const valuesInSearch = (search: Readonly<Record<string, unknown>>): ValueTexts =>
  Object.fromEntries(
    Object.entries(search).flatMap(([name, value]) =>
      name.startsWith(prefix) && value !== undefined && value !== ""
        ? [[name.slice(prefix.length), String(value)]]
        : [],
    ),
  );

/** The part of the address that holds these values, in the order of their names. */
export const toValueSearch = (values: ValueTexts): ValueSearch =>
  Object.fromEntries(
    Object.entries(values)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, text]) => [`${prefix}${name}`, text]),
  );
