import type { ChartElement, LiteralValue } from "@querybell/domain/jsx-config";

/** Writes an element as the text that is stored. `parseJsxConfig` parses it to the same element. */
export function writeJsxConfig(element: ChartElement, indent = ""): string {
  const { name, props, children } = element;
  const open = [name, ...Object.entries(props).map(([prop, value]) => writeProp(prop, value))].join(" ");
  if (children.length === 0) return `${indent}<${open} />`;
  const inside = children.map((child) => writeJsxConfig(child, `${indent}  `));
  return [`${indent}<${open}>`, ...inside, `${indent}</${name}>`].join("\n");
}

function writeProp(name: string, value: LiteralValue): string {
  if (value === true) return name;
  // A quoted prop has no escapes except entities, so only simple text is quoted; other text is a literal in braces.
  if (typeof value === "string" && /^[^"&\\\r\n]*$/.test(value)) return `${name}="${value}"`;
  return `${name}={${writeLiteral(value)}}`;
}

function writeLiteral(value: LiteralValue): string {
  if (Array.isArray(value)) return `[${value.map(writeLiteral).join(", ")}]`;
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value).map(
      ([key, item]) => `${JSON.stringify(key)}: ${writeLiteral(item)}`,
    );
    return `{ ${entries.join(", ")} }`;
  }
  // JSON.stringify writes -0 as 0.
  return Object.is(value, -0) ? "-0" : JSON.stringify(value);
}
