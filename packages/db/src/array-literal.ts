type Element = string | number | boolean | Date | Uint8Array | undefined;

/**
 * An array as Postgres reads it. The driver's own encoder looks at each element's type and escapes every one,
 * which is a tenth of what a delivery costs.
 */
export const arrayLiteral = (elements: readonly Element[]): string => `{${elements.map(toText).join(",")}}`;

function toText(element: Element): string {
  if (element === undefined) return "NULL";
  if (typeof element === "string") return quoted(element);
  if (element instanceof Date) return `"${element.toISOString()}"`;
  if (element instanceof Uint8Array) return `"\\\\x${Buffer.from(element).toString("hex")}"`;
  return String(element);
}

const special = /["\\]/g;

const quoted = (text: string): string => `"${text.replace(special, "\\$&")}"`;
