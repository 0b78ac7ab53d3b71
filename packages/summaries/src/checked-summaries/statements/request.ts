import type { Day } from "../../digest/written-day.ts";
import type { ResultTable, Tables } from "../../stored-results/result-table.ts";
import { type Attribute, byWord, refuse, type Slot } from "../slot.ts";
import type { Wording } from "../wording/wording.ts";
import type { NumberStyle } from "../write-number.ts";
import { findSimilarColumn } from "./columns.ts";

/** What a statement is computed from, and how it is worded. */
export interface StatementContext {
  tables: Tables;
  wording: Wording;
  /** A statement about a period says if the period is not over on this day. */
  today: Day;
  numbers: NumberStyle;
  /** Whether a model wrote the SQL of the result. */
  isOwnSql?: boolean;
}

const names = [
  "column",
  "columns",
  "row",
  "period",
  "dates",
  "run",
  "versus",
  "with_column",
  "by",
  "n",
  "op",
  "from",
  "since",
] as const;
type Name = (typeof names)[number];

const namesByWord = byWord<Name>([
  ...names.map((name) => [name, name] as const),
  ["versus", "against with compared_to compared_with vs with_row with_period"],
  ["with_column", "against_column"],
  ["period", "to in"],
  ["row", "for"],
  ["dates", "date_column"],
  ["by", "group group_by"],
  ["n", "limit"],
  ["op", "operation of"],
]);

/** The attributes of a slot, by their meaning. Those that name a column are conditions. */
export class Request {
  readonly context: StatementContext;
  readonly run: "now" | "before";
  readonly table: ResultTable;
  readonly conditions: Attribute[] = [];
  readonly #slot: Slot;
  readonly #given = new Map<Name, string[]>();

  constructor(context: StatementContext, slot: Slot) {
    this.context = context;
    this.#slot = slot;
    for (const attribute of slot.attributes) {
      const name = this.#nameOf(attribute, slot);
      if (name === undefined) this.conditions.push(withoutPrefix(attribute));
      else this.#given.set(name, [...(this.#given.get(name) ?? []), attribute.value]);
    }
    const run = this.find("run") ?? "now";
    this.run = run === "last" || isLastRun(run) ? "before" : "now";
    if (this.run === "now" && !/^(?:now|this)$/i.test(run)) refuse("run is now or last.");
    this.table = this.tableOf(this.run);
  }

  tableOf(run: "now" | "before"): ResultTable {
    return (
      this.context.tables[run] ?? refuse("There is no last run to compare with, or it cannot be compared.")
    );
  }

  #nameOf({ name, comparator }: Attribute, { operation }: Slot): Name | undefined {
    if (prefix.test(name)) return undefined;
    const known = namesByWord.get(name.toLowerCase());
    if (known !== undefined && comparator === "=") return known;
    if (findSimilarColumn(this.context.tables.now, name) !== undefined) return undefined;
    return refuse(`${operation} has no attribute ${JSON.stringify(name)}, and the result no such column.`);
  }

  /** The only value of an attribute. */
  find(name: Name): string | undefined {
    const [value, second] = this.all(name);
    if (second !== undefined) return refuse(`It has two values of ${name}.`);
    return value;
  }

  all(name: Name): string[] {
    return this.#given.get(name) ?? [];
  }

  /** Refuses attributes that the operation would ignore, because their writer meant something by them. */
  allow(...allowed: Name[]): void {
    for (const name of this.#given.keys()) {
      if (name !== "run" && !allowed.includes(name)) refuse(`The attribute ${name} has no meaning here.`);
    }
  }

  /** A copy with another value of an attribute. */
  with(name: Name, value: string): Request {
    const others = this.#slot.attributes.filter((attribute) => this.#nameOf(attribute, this.#slot) !== name);
    return new Request(this.context, {
      ...this.#slot,
      attributes: [...others, { name, comparator: "=", value }],
    });
  }

  /** A copy with another value in a condition. */
  where(column: string, value: string): Request {
    const { attributes } = this.without(column).#slot;
    const condition: Attribute = { name: `where.${column}`, comparator: "=", value };
    return new Request(this.context, { ...this.#slot, attributes: [...attributes, condition] });
  }

  /** A copy without conditions on a column. */
  without(column: string): Request {
    const attributes = this.#slot.attributes.filter(
      (attribute) =>
        this.#nameOf(attribute, this.#slot) !== undefined || withoutPrefix(attribute).name !== column,
    );
    return new Request(this.context, { ...this.#slot, attributes });
  }

  count(fallback: number, most: number): number {
    const text = this.find("n");
    if (text === undefined) return fallback;
    if (!/^\d{1,3}$/.test(text) || Number(text) < 1 || Number(text) > most)
      return refuse(`n is a number from 1 to ${most}.`);
    return Number(text);
  }
}

const prefix = /^(?:where|row)\./i;
const withoutPrefix = (attribute: Attribute): Attribute => ({
  ...attribute,
  name: attribute.name.replace(prefix, ""),
});

export const isLastRun = (text: string): boolean =>
  /^(?:the[ _])?(?:last[ _]run|before|previous[ _]run|run[ _]before)$/i.test(text.trim());
