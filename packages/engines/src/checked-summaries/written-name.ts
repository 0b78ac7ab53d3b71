import { normalize } from "./find-tokens.ts";

/** A shorter beginning fits too many names. */
const minBeginning = 8;

/** Whether this is how a text of the data is written: as it is, in quotation marks, or its beginning with an ellipsis. */
export function isNameOf(written: string, text: string): boolean {
  const [, quoted] = /^"([^"]+)"$/.exec(written) ?? [];
  const [name, whole] = [toComparable(quoted ?? written), toComparable(text)];
  if (name === whole) return true;
  const beginning = name.endsWith("…") ? name.slice(0, -1) : "";
  return beginning.length >= minBeginning && whole.startsWith(beginning);
}

// Quotation marks in a text would end the quotation around it.
const toComparable = (text: string): string => normalize(text).replaceAll('"', "'");
