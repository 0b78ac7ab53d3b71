import { isNumeric } from "@querybell/charts/chart-data";
import { hasZone, isNumber, toPlainText, type ValueFormat } from "@querybell/charts/formats";
import type { CellColor } from "@querybell/charts/tables";
import type { Field } from "@querybell/domain";
import { dateFormat, numberFormat, onFirstUse } from "../format/intl-formats.ts";
import { zoneOf } from "../format/times.ts";
import { formatValue, readerFormats } from "./value-formats.ts";

type FieldType = Field["type"];

const grouped = numberFormat({ maximumFractionDigits: 0 });
const decimalMark = onFirstUse(
  () => new Intl.NumberFormat().formatToParts(0.5).find(({ type }) => type === "decimal")?.value ?? ".",
);
const moment = dateFormat({
  year: "numeric",
  month: "numeric",
  day: "numeric",
  hour: "numeric",
  minute: "2-digit",
  second: "2-digit",
});

/** A value as the grid shows it: with the reader's separators and in the reader's zone, every digit kept. */
export function cellText(value: unknown, type: FieldType): string {
  if (isNumeric(type)) return exactNumber(value);
  if (type === "timestamp" && typeof value === "string") return momentText(value);
  if (type === "date") return formatValue(value, "plain");
  return toPlainText(value);
}

/** A column of the grid. */
export interface GridField extends Field {
  /** How its cells look, where somebody has chosen that. */
  look?: ColumnLook | undefined;
  /** What people read instead of its name. */
  heading?: string | undefined;
}

export interface ColumnLook {
  title: string;
  /** In pixels; null: as wide as its values need. */
  width: number | null;
  format: ValueFormat;
  decimals: number | null;
  isPinned: boolean;
  color: CellColor | null;
  /** The least and the greatest value, for the colours. */
  range: readonly [number, number] | undefined;
  link: string | null;
}

/** A value as its cell shows it, also a missing one. */
export function shownText(value: unknown, { type, look }: GridField): string {
  if ((value ?? null) === null) return "NULL";
  if (!look || (look.format === "auto" && look.decimals === null)) return cellText(value, type);
  return look.decimals === null
    ? formatValue(value, look.format)
    : readerFormats().decimals(value, look.format, look.decimals);
}

/** The heading of a column. */
export const titleOf = ({ name, look }: GridField): string => look?.title ?? name;

/** Groups the digits before the decimal mark and leaves the others alone: nothing is rounded. */
function exactNumber(value: unknown): string {
  const text = toPlainText(value);
  const match = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text);
  if (!match || !isNumber(text)) return text;
  const [, sign = "", whole = "", fraction] = match;
  const digits = grouped().format(BigInt(whole));
  return `${sign}${digits}${fraction === undefined ? "" : `${decimalMark()}${fraction}`}`;
}

function momentText(text: string): string {
  const time = Date.parse(text);
  // A timestamp without a zone cannot be converted to the reader's zone. A year before 0000 would lose its sign.
  if (Number.isNaN(time) || !hasZone.test(text) || text.startsWith("-")) return text.replace("T", " ");
  return `${momentWithFraction(time, text)} ${zoneOf(new Date(time))}`;
}

/** Intl shows three digits of a fraction at most; engines send up to twelve. */
function momentWithFraction(time: number, text: string): string {
  const fraction = /\.(\d+)/.exec(text)?.[1];
  if (fraction === undefined) return moment().format(time);
  return moment()
    .formatToParts(time)
    .map(({ type, value }) => (type === "second" ? `${value}${decimalMark()}${fraction}` : value))
    .join("");
}
