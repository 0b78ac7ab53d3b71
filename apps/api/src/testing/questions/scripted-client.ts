import { z } from "zod";
import { computeFigure, type Fact, type Question } from "./generate.ts";

/** How a client finds out: from one answer, from the first line alone, from all pages, or from the figures. */
export const manners = ["one answer", "first line", "pages", "summary"] as const;
export type Manner = (typeof manners)[number];

interface Answered {
  isError: boolean;
  firstLine: string;
  data: unknown;
}

type Call = (name: string, input: Record<string, unknown>) => Promise<Answered>;

const Cell = z.union([z.string(), z.number(), z.null()]);
const Rows = z.object({
  runId: z.string(),
  columns: z.array(z.object({ name: z.string() })),
  rows: z.array(z.array(Cell)),
  rowCount: z.int(),
  truncated: z.boolean(),
  nextCursor: z.string().optional(),
  cutBy: z.string().optional(),
  cutColumns: z.array(z.string()),
});
type Rows = z.infer<typeof Rows>;

const Figure = z.string().nullable();
const Summary = z.object({
  rowCount: z.int(),
  columns: z.array(
    z.object({ name: z.string(), minimum: Figure, maximum: Figure, sum: Figure, isCut: z.boolean() }),
  ),
});

/** More would be many calls. */
const maxPagedRows = 2_500;

interface Asked {
  queryId: string;
  question: Question;
  manner: Manner;
  maxRows: number;
}

/** Answers a question from what the tools answer, and from nothing else. */
export async function askClient(call: Call, { queryId, question, manner, maxRows }: Asked): Promise<Fact> {
  const { firstLine, data } = await call("run_query", { id: queryId, maxRows });
  if (manner === "first line" && question.figure === "count") return countOf(firstLine);
  const first = Rows.parse(data);
  if (manner === "one answer" && !first.truncated) return factOfRows([first], question);
  if (manner === "pages" && first.rowCount <= maxPagedRows) {
    return factOfRows(await readPages(call, first.runId, question), question);
  }
  return factOfSummary(await call("summarize_result", { runId: first.runId }), question);
}

/** "100 of 12,345 rows." Anything after it says that something is missing. */
function countOf(firstLine: string): Fact {
  const [, count] = /^[\d,]+ of ([\d,]+) rows\.$/.exec(firstLine) ?? [];
  return count === undefined ? "unknown" : BigInt(count.replaceAll(",", ""));
}

async function readPages(call: Call, runId: string, question: Question): Promise<Rows[]> {
  const columns = [question.figure === "count" ? "n" : question.column];
  const pages: Rows[] = [];
  for (let cursor: string | undefined = "0"; cursor !== undefined; ) {
    const page: Rows = Rows.parse((await call("get_result", { runId, columns, cursor, maxRows: 500 })).data);
    pages.push(page);
    cursor = page.nextCursor;
  }
  return pages;
}

function factOfRows(pages: readonly Rows[], question: Question): Fact {
  if (pages.some(({ cutBy }) => cutBy !== undefined)) return "unknown";
  if (question.figure === "count") return BigInt(pages.flatMap(({ rows }) => rows).length);
  const { column, figure } = question;
  if (pages.some(({ cutColumns }) => cutColumns.includes(column))) return "unknown";
  const cells = pages.flatMap(({ columns, rows }) => {
    const index = columns.findIndex(({ name }) => name === column);
    return rows.map((row) => row[index] ?? null);
  });
  return computeFigure(
    cells.map((cell) => toComparable(cell, column)),
    figure,
  );
}

function factOfSummary({ isError, data }: Answered, question: Question): Fact {
  if (isError) return "unknown";
  const { rowCount, columns } = Summary.parse(data);
  if (question.figure === "count") return BigInt(rowCount);
  const found = columns.find(({ name }) => name === question.column);
  if (!found || found.isCut) return "unknown";
  return toComparable(found[question.figure], question.column);
}

/** A number as hundredths, with all its digits. */
function toComparable(cell: string | number | null, column: string): bigint | string | null {
  if (cell === null || column === "label") return cell === null ? null : String(cell);
  const [whole = "", fraction = ""] = String(cell).split(".");
  return BigInt(whole + fraction.padEnd(2, "0"));
}
