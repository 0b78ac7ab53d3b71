/**
 * The query string of a page. Every value is text: nothing is parsed as JSON, so that 1.10 stays 1.10 in a link that
 * somebody wrote by hand.
 */
export const parseSearch = (search: string): Record<string, string> =>
  Object.fromEntries([...new URLSearchParams(search)].map(([name, text]) => [name, unquote(text) ?? text]));

export function stringifySearch(search: Readonly<Record<string, unknown>>): string {
  const texts = Object.entries(search).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, quoteIfQuoted(String(value))]],
  );
  return texts.length === 0 ? "" : `?${new URLSearchParams(texts)}`;
}

/** Older links have a number or `true` as a JSON string: `?year="2026"`. */
function unquote(text: string): string | undefined {
  if (!/^".*"$/s.test(text)) return undefined;
  try {
    return String(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** A text that would be read as quoted is quoted once more. */
const quoteIfQuoted = (text: string): string => (unquote(text) === undefined ? text : JSON.stringify(text));
