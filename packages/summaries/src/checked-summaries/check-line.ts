import { parseJsonLine } from "@querybell/domain/json-lines";
import { type Field, FieldType, type JsonValue } from "@querybell/domain/results";
import { z } from "zod";
import { getDay } from "../digest/written-day.ts";
import type { ResultTable } from "../stored-results/result-table.ts";
import {
  type BoundSlot,
  bindSummary,
  fillSentence,
  publishSummary,
  readResultsText,
} from "./check-summary.ts";
import { Language } from "./slot.ts";
import { wordings } from "./wording/wording.ts";
import { writeStatement } from "./write-statement.ts";

const Rows = z.array(z.array(z.json()));

const LineResult = z.strictObject({
  id: z.string().max(40).optional(),
  title: z.string().max(500).default("Result"),
  columns: z.array(z.union([z.string(), z.strictObject({ name: z.string(), type: FieldType.optional() })])),
  rows: Rows,
  before: Rows.optional(),
  cut: z.boolean().default(false),
  isOwnSql: z.boolean().default(false),
});

const Line = z.strictObject({
  language: Language,
  results: z.array(LineResult).max(20),
  text: z.string().max(10_000),
  today: z.iso.date().optional(),
});

interface StruckSentence {
  text: string;
  reasons: string[];
}

/** The outcome of one line: whether the run would complete or fail, and what would be published. */
type CheckedLine =
  | { outcome: "completed" | "failed"; published: string | null; struck: StruckSentence[] }
  | { error: string };

/** Checks a summary against results that are given with it, as a run does. For a file of such lines. */
export function checkLine(text: string, now: Date): CheckedLine {
  const parsed = parseJsonLine(Line, text);
  if ("error" in parsed) return parsed;
  const { language, text: summary, results } = parsed.line;
  const today = getDay(parsed.line.today ?? now.toISOString().slice(0, 10));
  const known = results.map((result, at) => ({ ...result, id: result.id ?? `r${at + 1}` }));
  const tables = new Map(known.map((result) => [result.id, toTables(result)]));
  if (tables.size < known.length) return { error: "Two results have the same id." };
  const wide = known.find(({ columns, rows, before = [] }) =>
    [...rows, ...before].some((row) => row.length !== columns.length),
  );
  if (wide) return { error: `A row of ${wide.id} has another number of cells than there are columns.` };
  const options = {
    language,
    results: known,
    isNaming: known.length > 1,
    statementOf: ({ slot, result }: BoundSlot) =>
      writeStatement(slot, {
        tables: tables.get(result) ?? { now: { fields: [], rows: [], cut: false }, before: null },
        wording: wordings[language],
        today,
        numbers: "full",
        isOwnSql: known.some(({ id, isOwnSql }) => id === result && isOwnSql),
      }),
  };
  const sentences = bindSummary(summary, language, known).map((sentence) => fillSentence(sentence, options));
  const { text: published, sentences: checked } = publishSummary(sentences);
  const struck = checked
    .filter(({ problems }) => problems.length > 0)
    .map((sentence) => ({ text: sentence.text, reasons: sentence.problems }));
  return toOutcome({ published, struck, read: readResultsText(language, known), isRead: known.length > 0 });
}

interface Outcome {
  published: string;
  struck: StruckSentence[];
  read: string;
  isRead: boolean;
}

/** A summary of which every sentence was struck fails; one without sentences says what was read. */
function toOutcome({ published, struck, read, isRead }: Outcome): CheckedLine {
  if (published !== "") return { outcome: "completed", published, struck };
  if (struck.length === 0 && isRead) return { outcome: "completed", published: read, struck };
  return { outcome: "failed", published: null, struck };
}

type LineTable = z.infer<typeof LineResult>;

function toTables({ columns, rows, before, cut }: LineTable): {
  now: ResultTable;
  before: ResultTable | null;
} {
  const fields = columns.map((column, at): Field => {
    const { name, type } = typeof column === "string" ? { name: column, type: undefined } : column;
    return { name, type: type ?? typeOf(rows.map((row) => row[at] ?? null)) };
  });
  const toTable = (given: JsonValue[][]): ResultTable => ({ fields, rows: given, cut });
  return { now: toTable(rows), before: before ? toTable(before) : null };
}

/** The type of a column for which none is given, by its cells. */
function typeOf(cells: readonly JsonValue[]): FieldType {
  const given = cells.filter((cell) => cell !== null);
  const are = (test: (cell: JsonValue) => boolean) => given.length > 0 && given.every(test);
  if (are(Number.isSafeInteger)) return "integer";
  if (are((cell) => typeof cell === "number")) return "number";
  if (are((cell) => typeof cell === "boolean")) return "boolean";
  if (are((cell) => typeof cell === "string" && /^\d{4}-\d{2}-\d{2}$/.test(cell))) return "date";
  if (are((cell) => typeof cell === "string" && /^\d{4}-\d{2}-\d{2}T/.test(cell))) return "timestamp";
  if (are((cell) => typeof cell === "string" && /^-?\d+\.\d+$/.test(cell))) return "decimal";
  if (are((cell) => typeof cell === "object")) return "json";
  return "string";
}
