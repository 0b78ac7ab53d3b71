import type { JsonValue } from "../results/json-value.ts";

/**
 * Reads the text of a Postgres array, such as `{1,NULL,"a \"b\"",{2}}` or `[0:1]={1,2}`. The bounds are
 * dropped; each item goes through `item`.
 */
export function parseArray(text: string, item: (text: string) => JsonValue): JsonValue[] {
  const tokens = /\{|\}|"((?:[^"\\]|\\.)*)"|[^{},"]+/gs;
  tokens.lastIndex = text.indexOf("{");
  const root: JsonValue[] = [];
  const open: JsonValue[][] = [root];
  for (let match = tokens.exec(text); match; match = tokens.exec(text)) {
    const [token, quoted] = match;
    const current = open.at(-1) ?? root;
    if (token === "{") {
      const nested: JsonValue[] = [];
      current.push(nested);
      open.push(nested);
    } else if (token === "}") {
      open.pop();
    } else if (quoted !== undefined) {
      current.push(item(quoted.replace(/\\(.)/gs, "$1")));
    } else {
      current.push(token === "NULL" ? null : item(token.replace(/\\(.)/gs, "$1")));
    }
  }
  const [array] = root;
  return Array.isArray(array) ? array : [];
}
