const lineWidth = 100;

/** Readable JSON: a value that fits on one line is not split. */
export function jsonText(value: unknown, column = 0): string {
  const line = oneLine(value);
  if (typeof value !== "object" || value === null || column + line.length <= lineWidth) return line;
  const isList = Array.isArray(value);
  const parts = isList
    ? value.map((item) => jsonText(item, 2))
    : Object.entries(value).map(
        ([name, item]) => `${JSON.stringify(name)}: ${jsonText(item, name.length + 6)}`,
      );
  const lines = parts.map((part) => `  ${part.replaceAll("\n", "\n  ")}`);
  return [isList ? "[" : "{", lines.join(",\n"), isList ? "]" : "}"].join("\n");
}

function oneLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(oneLine).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).map(([name, item]) => `${JSON.stringify(name)}: ${oneLine(item)}`);
  return fields.length === 0 ? "{}" : `{ ${fields.join(", ")} }`;
}
