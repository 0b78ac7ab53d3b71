import { type ChangedRowsCounts, changedRowsLimits } from "@querybell/domain/changed-rows";
import type { JsonValue } from "@querybell/domain/results";
import type { ResultTable } from "@querybell/summaries/result-table";
import type { ChangedRow, Fact } from "../evaluate/outcomes.ts";
import { writeChangedRow } from "./write-changed-row.ts";

/** The rows that changed: how many, and the JSON of each part. Either all rows are in the parts, or none is. */
export interface WrittenRows {
  counts: ChangedRowsCounts;
  parts: Buffer[];
}

interface Results {
  result: ResultTable;
  base: ResultTable;
}

/** Writes the changed rows among the facts that are told. Null if there are none. */
export function writeChangedRows(facts: readonly Fact[], { result, base }: Results): WrittenRows | null {
  const lists = withoutRepeats(facts);
  if (lists.length === 0) return null;
  const writer = new PartWriter();
  for (const { key, rows } of lists) {
    writer.begin({ key, fields: result.fields, fieldsBefore: base.fields });
    for (const row of rows) if (!writer.add(row)) break;
  }
  const count = (change: ChangedRow["change"]) =>
    lists.flatMap(({ rows }) => rows.filter((row) => row.change === change)).length;
  const counts = { entered: count("entered"), left: count("left"), changed: count("changed") };
  const parts = writer.end();
  if (parts) return { counts: { ...counts, omittedRows: 0 }, parts };
  const omittedRows = counts.entered + counts.left + counts.changed;
  const without = { key: lists[0]?.key ?? [], fields: [], fieldsBefore: [], rows: [] };
  return { counts: { ...counts, omittedRows }, parts: [Buffer.from(JSON.stringify(without))] };
}

type RowsFact = Extract<Fact, { kind: "rows" }>;

/** Several parts of a condition can be about the same rows: a change of a row is told once, by the first. */
export function withoutRepeats(facts: readonly Fact[]): RowsFact[] {
  const lists = facts.filter((fact) => fact.kind === "rows");
  if (lists.length < 2) return lists;
  const known = new Map<readonly JsonValue[], ChangedRow[]>();
  const isNew = (row: ChangedRow): boolean => {
    const anchor = row.now ?? row.before ?? row.key;
    const others = known.get(anchor) ?? [];
    const { change, now, before } = row;
    if (others.some((one) => one.change === change && one.now === now && one.before === before)) return false;
    known.set(anchor, [...others, row]);
    return true;
  };
  return lists
    .map((list) => ({ ...list, rows: list.rows.filter(isNew) }))
    .filter(({ rows }) => rows.length > 0);
}

interface Columns {
  key: readonly string[];
  fields: ResultTable["fields"];
  fieldsBefore: ResultTable["fields"];
}

const { rowsOfPart, bytesOfPart, bytesOfEnvelope, bytesOfColumns } = changedRowsLimits;
const maxPartBytes = bytesOfPart - bytesOfEnvelope;
/** `,"rows":[` and `]}`. */
const bracketBytes = 16;

class PartWriter {
  readonly #parts: Buffer[] = [];
  #head = "";
  /** For the rows of a part, with a comma after each. */
  #maxBytes = 0;
  #rows: string[] = [];
  #bytes = 0;
  #isTooLarge = false;

  /** The rows that follow have these columns. */
  begin(columns: Columns): void {
    const head = JSON.stringify(columns).slice(0, -1);
    if (head === this.#head) return;
    this.#flush();
    this.#head = head;
    const headBytes = Buffer.byteLength(this.#head);
    this.#maxBytes = maxPartBytes - headBytes - bracketBytes;
    if (headBytes > bytesOfColumns) this.#isTooLarge = true;
  }

  /** False once the rows need more parts than there may be. */
  add(row: ChangedRow): boolean {
    if (this.#isTooLarge) return false;
    const json = writeChangedRow(row, this.#maxBytes - 1);
    const bytes = Buffer.byteLength(json) + 1;
    if (this.#rows.length === rowsOfPart || this.#bytes + bytes > this.#maxBytes) this.#flush();
    this.#rows.push(json);
    this.#bytes += bytes;
    return true;
  }

  /** Null if there are too many. */
  end(): Buffer[] | null {
    this.#flush();
    return this.#isTooLarge ? null : this.#parts;
  }

  #flush(): void {
    if (this.#rows.length === 0) return;
    if (this.#parts.length === changedRowsLimits.parts) this.#isTooLarge = true;
    else this.#parts.push(Buffer.from(`${this.#head},"rows":[${this.#rows.join(",")}]}`));
    this.#rows = [];
    this.#bytes = 0;
  }
}
