import type { Field } from "@querybell/domain";
import type { JsonValue } from "@querybell/domain/results";
import type { ResultTable } from "../stored-results/result-table.ts";

/**
 * What a column is for:
 * - amount: a number whose total means something
 * - level: a number whose total means nothing, like a rate, an average or a price for one
 * - identifier, label: they identify a row; an identifier alone, if it is unique
 * - other: not mentioned in a digest
 */
type ColumnRole = "amount" | "level" | "identifier" | "label" | "other";

const wordSet = (words: string): ReadonlySet<string> => new Set(words.split(" "));

const identifierWords = wordSet(
  "id ids uuid guid key code zip zipcode postcode postal phone isbn sku ean iban " +
    "plz postleitzahl telefon schlüssel téléphone código telefono teléfono clave",
);
/** order_number is an identifier, but a column named "number" counts something. */
const numberingWords = wordSet("number num no nr nummer numéro numero número");
const calendarWords = wordSet(
  "year yr quarter month week day date hour minute second weekday dow doy isodow isoyear epoch timestamp " +
    "jahr quartal monat woche tag datum année annee trimestre mois semaine jour año mes semana día dia fecha",
);
/** Before a calendar word they mean that the column is not a date: revenue_last_year. */
const periodWords = wordSet("per this last next previous prior current each every by to");
const levelWords = wordSet(
  "rate ratio percent percentage pct share proportion fraction probability avg average mean median mode min max " +
    "minimum maximum stddev stdev variance percentile quantile score rating rank ranking position index level " +
    "price age lat latitude lon lng longitude temperature running cumulative cum per version " +
    "anteil prozent durchschnitt mittelwert preis alter taux pourcentage moyenne médiane prix âge " +
    "tasa porcentaje proporción promedio mediana precio edad",
);

/** Decides by type and name: only the name distinguishes a year from an amount. */
export function roleOf({ name, type }: Field): ColumnRole {
  if (type === "json" || type === "binary") return "other";
  const words = wordsOf(name);
  if (isIdentifier(words)) return "identifier";
  const isNumeric = type === "integer" || type === "number" || type === "decimal";
  if (!isNumeric || isCalendar(words)) return "label";
  return isLevel(words) || name.includes("%") ? "level" : "amount";
}

function isIdentifier(words: string[]): boolean {
  const last = words.at(-1) ?? "";
  return identifierWords.has(last) || (words.length > 1 && numberingWords.has(last));
}

function isCalendar(words: string[]): boolean {
  const [first = "", second] = words;
  if (second === "of") return calendarWords.has(first);
  return calendarWords.has(words.at(-1) ?? "") && !periodWords.has(words.at(-2) ?? "");
}

const isLevel = (words: string[]): boolean =>
  words.some(
    (word) =>
      levelWords.has(word) || /^p\d{1,3}$/.test(word) || germanRate.test(word) || /.{3}preis$/.test(word),
  );

/** German writes them as one word: Klickquote, Marktanteil. */
const germanRate = /.{3}(?:quote|anteil)$/;
const percentWords = wordSet("percent percentage pct prozent pourcentage porcentaje");
const rateWords = wordSet(
  "rate ratio share proportion fraction probability anteil taux tasa proporción probabilidad",
);

/** Whether a column's numbers are percentages as they are, rates whose change in percent would mislead, or others. */
export function measureOf({ name }: Field): "percent" | "rate" | "number" {
  const words = wordsOf(name);
  if (name.includes("%") || words.some((word) => percentWords.has(word))) return "percent";
  return words.some((word) => rateWords.has(word) || germanRate.test(word)) ? "rate" : "number";
}

/** unit_price, unitPrice and "Unit price" are two words each. */
export const wordsOf = (name: string): string[] =>
  name
    .slice(0, 200)
    .replaceAll(/(?<=\p{Ll})(?=\p{Lu})/gu, " ")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "");

export function roleAt({ fields }: ResultTable, position: number): ColumnRole {
  const field = fields[position];
  return field ? roleOf(field) : "other";
}

export const columnsWithRole = (table: ResultTable, role: ColumnRole): number[] =>
  [...table.fields.keys()].filter((position) => roleAt(table, position) === role);

/** The columns that identify a row, those with words first, because people read them. */
export const namingColumns = (table: ResultTable): number[] => [
  ...columnsWithRole(table, "label"),
  ...columnsWithRole(table, "identifier"),
];

/** One text for the cells of these columns, equal for equal cells only. */
export const keyOf = (row: readonly JsonValue[], columns: readonly number[]): string =>
  JSON.stringify(columns.map((column) => row[column] ?? null));

export function areUnique(table: ResultTable, columns: readonly number[]): boolean {
  const seen = new Set<string>();
  for (const row of table.rows) {
    const key = keyOf(row, columns);
    if (seen.has(key)) return false;
    seen.add(key);
  }
  return columns.length > 0;
}

/** The position of a column by its name, if just one has it. */
export function columnNamed({ fields }: ResultTable, name: string): number | null {
  const positions = [...fields.keys()].filter((position) => fields[position]?.name === name);
  const [position, second] = positions;
  return position === undefined || second !== undefined ? null : position;
}
