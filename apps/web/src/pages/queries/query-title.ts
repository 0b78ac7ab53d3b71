const maxLength = 80;

/** A query's name or, if it has none, the first line of its SQL that is not empty or a comment. */
export function queryTitle({ name, sql }: { name: string | null; sql: string }): string {
  if (name !== null) return name;
  const line = sql
    .split("\n")
    .map((one) => one.trim())
    .find((one) => one !== "" && !one.startsWith("--"));
  if (line === undefined) return "Untitled query";
  return line.length > maxLength ? `${line.slice(0, maxLength - 1)}…` : line;
}
