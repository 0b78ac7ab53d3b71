import type { Statement } from "./statement.ts";
import { isSignificant, type Token } from "./tokenizer.ts";

/** The names that follow the name of a schema and a point, in lower case and without duplicates: `charts.sales`. */
export function namesInSchema({ tokens }: Pick<Statement, "tokens">, schema: string): string[] {
  const significant = tokens.filter(isSignificant);
  const names = significant.flatMap((token, at) => {
    const [before, point, name] = [significant[at - 1], significant[at + 1], significant[at + 2]];
    const isSchema = nameOf(token) === schema && before?.text !== "." && point?.text === ".";
    const found = isSchema && name ? nameOf(name) : undefined;
    return found === undefined ? [] : [found];
  });
  return [...new Set(names)];
}

function nameOf({ kind, text }: Token): string | undefined {
  if (kind === "word") return text.toLowerCase();
  return kind === "quotedIdentifier" ? text.slice(1, -1).replaceAll('""', '"').toLowerCase() : undefined;
}
