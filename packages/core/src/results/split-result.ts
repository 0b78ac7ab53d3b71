/** The JSON of one field's description or of one row. A large row is split into pieces. */
type ResultPart =
  | { kind: "field"; text: string }
  | { kind: "row"; text: string }
  | { kind: "piece of a row"; text: string; isLast: boolean };

const maxWholeRow = 64 * 1024;
// As many as an engine host may report. A hostile one can write more into the result.
const maxFields = 250_000;
const maxFieldCharacters = 40 * 1024 ** 2;

// A field is an object in the list of fields, a row a list in the list of rows: both three levels deep.
const partDepth = 3;

/** Splits the JSON of a result, `{"fields":[…],"rows":[…],"rowCount":n}`, without buffering it as a whole. */
export async function* splitResult(json: AsyncIterable<Uint8Array>): AsyncGenerator<ResultPart> {
  const decoder = new TextDecoder();
  let depth = 0;
  let inString = false;
  let escaped = false;
  let begun = "";
  let inPieces = false;
  let [fields, fieldCharacters] = [0, 0];
  const limitFields = () => {
    if (fields > maxFields || fieldCharacters + begun.length > maxFieldCharacters) {
      throw new Error("A stored result describes more fields than it can have.");
    }
  };
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
        if (inPieces) yield { kind: "piece of a row", text: whole, isLast: true };
        else if (character === "]") yield { kind: "row", text: whole };
        else {
          fields++;
          fieldCharacters += whole.length;
          limitFields();
          yield { kind: "field", text: whole };
        }
        inPieces = false;
      }
    }
    if (depth < partDepth) continue;
    begun += text.slice(start);
    if (begun.length <= maxWholeRow) continue;
    if (begun[0] === "{" && !inPieces) {
      limitFields();
      continue;
    }
    yield { kind: "piece of a row", text: begun, isLast: false };
    begun = "";
    inPieces = true;
  }
}

/** Parses a row of a stored result without a schema, which would take much longer than the rest. */
export function readRow(json: string): unknown[] {
  const row: unknown = JSON.parse(json);
  if (!Array.isArray(row)) throw new Error("A row of a stored result is not a list.");
  return row;
}
