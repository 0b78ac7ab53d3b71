import type { ChartElement, LiteralValue } from "@querybell/domain/jsx-config";

/** A visualization's element as the text that is stored: what `parseJsxConfig` reads back as the same element. */
export function writeJsxConfig(element: ChartElement, indent = ""): string {
  const { name, props, children } = element;
  const open = [name, ...Object.entries(props).map(([prop, value]) => writeProp(prop, value))].join(" ");
  if (children.length === 0) return `${indent}<${open} />`;
  const inside = children.map((child) => writeJsxConfig(child, `${indent}  `));
  return [`${indent}<${open}>`, ...inside, `${indent}</${name}>`].join("\n");
}

function writeProp(name: string, value: LiteralValue): string {
  if (value === true) return name;
  // A quoted prop has no escapes but entities: anything but the plainest text is written as a literal.
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
  // JSON has no sign on zero; JavaScript reads -0 as a number of its own.
  return Object.is(value, -0) ? "-0" : JSON.stringify(value);
}
