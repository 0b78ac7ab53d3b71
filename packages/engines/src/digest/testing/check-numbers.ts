import { expect } from "vitest";
import type { JsonValue } from "../../results/json-value.ts";
import type { DigestTable, ReferenceResult } from "../digest-table.ts";
import { fixedPoint, isPercentOf, isWrittenAs } from "./fixed-point.ts";

const whole = "\\d{1,3}(?:,\\d{3})*";
const anyNumber = `≈?-?${whole}(?:\\.\\d+)?(?: × 10\\^-?\\d+)?`;
const [number, count] = [`(${anyNumber})`, `(${whole})`];
const column = "(orders|revenue|weight|avg_price)";
const scope = "(?: in these rows)?";
const cell = '(?:"[^"]*"|no \\w+|(?:order_id|year) \\d+)';
const anyLabel = `${cell}(?: / ${cell}){0,2}`;
const label = `(${anyLabel})`;
const value = '(?:"[^"]*"|nothing|-?\\d+)';
const anyChange = `(?:order_id|product|year)(?: changed)? from ${value} to ${value}`;
const anyChanged = `${anyLabel}: ${anyChange}(?:, ${anyChange})*`;
const anyMove = `${anyLabel} (?:up|down) ${anyNumber} to ${anyNumber}`;
const change = `(, as before)?(?:, (up|down) ${number}(?: \\(${number}%\\))?)?(?:, empty in ${count} rows?)?`;

/**
 * Takes every sentence of a digest apart, recomputes its numbers from the results, and leaves none behind.
 * It knows how a digest is worded and nothing of how it is made.
 */
export function checkNumbers(digest: string, looked: readonly ReferenceResult[]): void {
  const [, ...parts] = takeClosing(digest, looked).split(/(?:^| )"Title (\d+)": /);
  for (let i = 0; i < parts.length; i += 2) {
    const one = looked[Number(parts[i])];
    expect(one).toBeDefined();
    if (one) checkPart(parts[i + 1] ?? "", one, parts.length === 2);
  }
}

/** Takes off what is said of the results that have no sentence of their own. */
function takeClosing(digest: string, looked: readonly ReferenceResult[]): string {
  const left = looked.filter(({ title }) => !digest.includes(`"${title}": `));
  const isCompared = ({ result, previous }: ReferenceResult) =>
    previous !== null && !result.cut && !previous.cut;
  const same = left.filter((one) => isCompared(one) && hasSameRows(one)).map(({ title }) => `"${title}"`);
  const changed = left.filter((one) => isCompared(one) && !hasSameRows(one)).length;
  const more = left.length - same.length - changed;
  const results = (kind: string, count: number) => `${count} ${kind} result${count === 1 ? "" : "s"}`;
  const titles = same.join(", ").replace(/, (?="Title \d+"$)/, " and ");
  let text = digest;
  const takeEnd = (wordings: string[]) => {
    const end = wordings.find((wording) => text.endsWith(wording));
    expect(end, `${text} ends with one of ${wordings}`).toBeDefined();
    text = text.slice(0, text.length - (end ?? "").length);
  };
  if (more > 0) takeEnd([` And ${results("more", more)}.`]);
  if (same.length > 0) {
    takeEnd([results("other", same.length), titles].map((which) => ` Nothing changed in ${which}.`));
  }
  if (changed > 0) takeEnd([` ${results("more", changed)} changed.`]);
  expect(text).not.toMatch(/more results?|Nothing changed/);
  return text;
}

function hasSameRows({ result, previous }: ReferenceResult): boolean {
  const rows = (table: DigestTable | null) =>
    JSON.stringify(table?.rows.map((row) => JSON.stringify(row)).sort());
  return rows(result) === rows(previous);
}

function take(text: string, pattern: RegExp, check: (groups: string[]) => void): string {
  return text.replace(pattern, (_, ...rest) => {
    // After the groups come the position and the whole text.
    check(rest.slice(0, -2));
    return "";
  });
}

const countOf = (written: string | undefined) => Number(written?.replaceAll(",", ""));
const cellsOf = (table: DigestTable, name: string): (JsonValue | undefined)[] =>
  table.rows.map((row) => row[table.fields.findIndex((field) => field.name === name)]);
const numbersOf = (table: DigestTable, name: string): bigint[] =>
  cellsOf(table, name).flatMap((value) => fixedPoint(value) ?? []);
const sum = (values: bigint[]): bigint => values.reduce((total, value) => total + value, 0n);
const sorted = (values: bigint[]) => values.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
const most = (values: bigint[]): bigint => sorted(values).at(-1) ?? 0n;
const least = (values: bigint[]): bigint => sorted(values).at(0) ?? 0n;

function expectWritten(written: string | undefined, value: bigint): void {
  expect(written).toSatisfy((text: string) => isWrittenAs(text, value));
}

function checkPart(part: string, { result, previous }: ReferenceResult, isAlone: boolean): void {
  const rowCounts = [result.rows.length, previous?.rows.length ?? 0] as const;
  const named = new Set(part.match(new RegExp(`(?<= |^)${column}(?= |:)`, "g")));
  const numeric = result.fields.filter(({ name }) => new RegExp(`^${column}$`).test(name));

  let text = take(part, /^(?:still |first )?(\d+) rows?/, ([now]) => expect(Number(now)).toBe(rowCounts[0]));
  text = take(text, /^(?:no rows)?, (\d+) before/, ([before]) => expect(Number(before)).toBe(rowCounts[1]));
  text = take(text, /^, (\d+) (more|fewer) than before/, ([difference, direction]) => {
    const more = rowCounts[0] - rowCounts[1];
    expect(Number(difference)).toBe(direction === "more" ? more : -more);
  });
  const unnamed = isAlone && rowCounts[0] > 0 ? numeric.length - named.size : 0;
  const columns = text;
  text = take(text, / And (\d+) more columns?\.$/, ([more]) => expect(Number(more)).toBe(unnamed));
  expect(text !== columns).toBe(unnamed > 0);
  text = takeColumnSentences(text, result, previous);
  if (previous) text = takeRowSentences(text, result, previous);
  expect(text).not.toMatch(/\d/);
}

function takeColumnSentences(part: string, result: DigestTable, previous: DigestTable | null): string {
  const total = (prefix: string) => new RegExp(` ${prefix}${column}${scope} ${number}${change}`, "g");
  const nulls = (name: string) => cellsOf(result, name).filter((value) => value === null).length;
  const checkTotal = ([name = "", written, asBefore, direction, moved, percent, empty]: string[]) => {
    const now = sum(numbersOf(result, name));
    expectWritten(written, now);
    expect(countOf(empty ?? "0")).toBe(nulls(name));
    const before = previous ? sum(numbersOf(previous, name)) : 0n;
    if (asBefore) expect(now).toBe(before);
    if (moved) expectWritten(moved, direction === "up" ? now - before : before - now);
    if (percent) {
      expect(percent).toSatisfy((text: string) => isPercentOf(text, now - before, before));
      expect(before < 0n ? now <= 0n : now >= 0n).toBe(true);
    }
  };
  const holders = `(?: \\((?:in ${count} rows?|${label})\\))?`;
  const extremes = new RegExp(
    ` Highest ${column}${scope} ${number}${holders}, lowest ${number}${holders}`,
    "g",
  );
  let text = take(part, extremes, ([name = "", high, highCount, highest, low, lowCount, lowest]) => {
    const values = numbersOf(result, name);
    for (const [written, value, held, holder] of [
      [high, most(values), highCount, highest],
      [low, least(values), lowCount, lowest],
    ] as const) {
      expectWritten(written, value);
      if (held) expect(countOf(held)).toBe(values.filter((other) => other === value).length);
      const rows = result.rows.filter((_, i) => fixedPoint(cellsOf(result, name)[i]) === value);
      if (holder) expect(rows.map((row) => (isNamed(holder, row, result) ? holder : ""))).toEqual([holder]);
    }
  });
  text = take(
    text,
    new RegExp(` Highest and lowest ${column}${scope} ${number}`, "g"),
    ([name = "", both]) => {
      expect(new Set(numbersOf(result, name)).size).toBe(1);
      expectWritten(both, most(numbersOf(result, name)));
    },
  );
  text = take(text, new RegExp(` ${column} is no finite number in ${count} rows?`, "g"), ([name = "", bad]) =>
    expect(countOf(bad)).toBe(result.rows.length - numbersOf(result, name).length - nulls(name)),
  );
  return take(take(text, total("Total "), checkTotal), total(""), checkTotal);
}

/** Whether each part of a label is a cell of the row. */
function isNamed(text: string, row: readonly JsonValue[], { fields }: DigestTable): boolean {
  const names = row.map((value, i) => {
    const { name, type } = fields[i] ?? { name: "", type: "json" };
    if (value === null) return `no ${name}`;
    return type === "integer" ? `${name} ${value}` : `"${value}"`;
  });
  return text.split(" / ").every((part) => names.includes(part));
}

function takeRowSentences(part: string, result: DigestTable, previous: DigestTable): string {
  const keys = keysOf(result, previous);
  const [now, before] = keys ?? [[], []];
  const pairs = now.flatMap((key, i) => (before.includes(key) ? [{ i, j: before.indexOf(key) }] : []));
  let text = take(
    part,
    new RegExp(` Biggest moves? of ${column}: (${anyMove}(?:, ${anyMove})*)(?: and ${count} more)?\\.`),
    (groups) => {
      const [name = "", listed = "", more] = groups;
      const values = [
        cellsOf(result, name).map(fixedPoint),
        cellsOf(previous, name).map(fixedPoint),
      ] as const;
      const moves = pairs.flatMap(({ i, j }) => {
        const [to, from] = [values[0][i], values[1][j]];
        return to === undefined || from === undefined || to === from ? [] : [{ i, to, by: to - from }];
      });
      const sizes = sorted(moves.map(({ by }) => (by < 0n ? -by : by))).reverse();
      const shown = [
        ...listed.matchAll(new RegExp(`${label} (up|down) ${number} to ${number}(?:, |$)`, "g")),
      ];
      expect(shown.map(([whole]) => whole).join("")).toBe(listed);
      expect(shown.length + countOf(more ?? "0")).toBe(moves.length);
      for (const [rank, [, name = "", direction, size, to]] of shown.entries()) {
        expectWritten(size, sizes[rank] ?? 0n);
        const found = moves.some(
          (move) =>
            isNamed(name, result.rows[move.i] ?? [], result) &&
            isWrittenAs(to ?? "", move.to) &&
            isWrittenAs(size ?? "", direction === "up" ? move.by : -move.by),
        );
        expect(found).toBe(true);
      }
    },
  );
  text = take(text, new RegExp(`${count} new rows?(?:: ${label})?`), ([added]) =>
    expect(countOf(added)).toBe(now.length - pairs.length),
  );
  text = take(text, new RegExp(`${count} rows? gone(?:: ${label})?`), ([gone]) =>
    expect(countOf(gone)).toBe(before.length - pairs.length),
  );
  const differ = pairs.filter(
    ({ i, j }) => JSON.stringify(result.rows[i]) !== JSON.stringify(previous.rows[j]),
  );
  const list = new RegExp(` (${anyChanged}(?:; ${anyChanged})*)(?:; ${count} more rows? changed)?\\.`);
  text = take(text, list, ([listed = "", more]) => {
    const shown = listed.match(new RegExp(anyChanged, "g")) ?? [];
    expect(shown.join("; ")).toBe(listed);
    expect(shown.length + countOf(more ?? "0")).toBe(differ.length);
    for (const one of shown) {
      const rows = differ.map(({ i, j }) => [result.rows[i] ?? [], previous.rows[j] ?? []] as const);
      expect(rows.filter(([to, from]) => isChange(one, result, { to, from }))).toHaveLength(1);
    }
  });
  return take(text, new RegExp(` ${count} rows? changed`), ([changed]) =>
    expect(countOf(changed)).toBe(differ.length),
  );
}

/** Whether a row is called so, and its words changed so, and no others did. */
function isChange(
  text: string,
  table: DigestTable,
  row: { to: readonly JsonValue[]; from: readonly JsonValue[] },
): boolean {
  const [, name = "", changes = ""] = new RegExp(`^${label}: (.*)$`).exec(text) ?? [];
  const write = (cell: JsonValue | undefined) => JSON.stringify(cell) ?? "";
  const expected = table.fields.flatMap((field, i) => {
    const [from, to] = [write(row.from[i]), write(row.to[i])];
    const isWord = ["order_id", "product", "year"].includes(field.name);
    return isWord && from !== to ? [`${field.name} from ${from} to ${to}`.replace("null", "nothing")] : [];
  });
  const found = changes.replace(" changed", "").split(/, (?=order_id|product|year)/);
  return isNamed(name, row.to, table) && isEqualSet(found, expected);
}

const isEqualSet = (one: string[], other: string[]): boolean =>
  JSON.stringify(one.toSorted()) === JSON.stringify(other.toSorted());

/** The columns that identify rows: a unique identifier, or else the fewest labels. */
function keysOf(result: DigestTable, previous: DigestTable): [string[], string[]] | undefined {
  for (const names of [["order_id"], ["product"], ["product", "year"], ["product", "year", "order_id"]]) {
    const present = names.filter((name) => result.fields.some((field) => field.name === name));
    const keys = (table: DigestTable) =>
      table.rows.map((_, i) => JSON.stringify(present.map((name) => cellsOf(table, name)[i])));
    const [now, before] = [keys(result), keys(previous)];
    const areUnique = new Set(now).size === now.length && new Set(before).size === before.length;
    if (present.length > 0 && areUnique) return [now, before];
  }
  return undefined;
}
