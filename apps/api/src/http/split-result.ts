/** One field's description, or one row, of a result: its own JSON. */
export interface ResultPart {
  kind: "field" | "row";
  text: string;
}

// A field is an object in the list of fields, a row a list in the list of rows: both three levels deep.
const partDepth = 3;

/** Takes a result's JSON, `{"fields":[…],"rows":[…],"rowCount":n}`, apart without reading it as a whole. */
export async function* splitResult(json: AsyncIterable<Uint8Array>): AsyncGenerator<ResultPart> {
  const decoder = new TextDecoder();
  let depth = 0;
  let inString = false;
  let escaped = false;
  let begun = "";
  for await (const bytes of json) {
    const text = decoder.decode(bytes, { stream: true });
    let start = 0;
    for (let at = 0; at < text.length; at++) {
      const character = text[at];
      if (escaped) escaped = false;
      else if (inString) {
        if (character === "\\") escaped = true;
        else if (character === '"') inString = false;
      } else if (character === '"') inString = true;
      else if (character === "[" || character === "{") {
        if (++depth === partDepth) start = at;
      } else if (character === "]" || character === "}") {
        if (depth-- !== partDepth) continue;
        const whole = begun + text.slice(start, at + 1);
        begun = "";
        yield { kind: character === "]" ? "row" : "field", text: whole };
      }
    }
    if (depth >= partDepth) begun += text.slice(start);
  }
}
