import { ScimError } from "./scim-error.ts";

const comparison = /^\s*([\w.]+)\s+eq\s+(?:"((?:[^"\\]|\\.)*)"|(true|false))\s*$/i;

/** The one kind of filter that providers use to find a resource: `userName eq "ann@example.com"`. */
export function readFilter<Name extends string>(
  filter: string | undefined,
  attributes: readonly Name[],
): { attribute: Name; value: string } | undefined {
  if (filter === undefined || filter.trim() === "") return undefined;
  const [, name = "", text] = comparison.exec(filter) ?? [];
  const attribute = attributes.find((one) => one.toLowerCase() === name.toLowerCase());
  if (attribute === undefined || text === undefined) {
    throw new ScimError(400, `Only filters like ${attributes[0]} eq "value" are supported.`, "invalidFilter");
  }
  return { attribute, value: text.replaceAll(/\\(.)/g, "$1") };
}
