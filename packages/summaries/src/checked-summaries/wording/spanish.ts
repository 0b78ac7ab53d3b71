import type { Unit } from "../../digest/periods.ts";
import type { Day } from "../../digest/written-day.ts";
import { joined, type Piece, replaceStart, type Written, write } from "../written.ts";
import type { FigureOperation, Subject, Wording } from "./wording.ts";

const months =
  "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre".split(" ");
const units: Record<Unit, [string, string]> = {
  day: ["día", "días"],
  week: ["semana", "semanas"],
  month: ["mes", "meses"],
  quarter: ["trimestre", "trimestres"],
  year: ["año", "años"],
};
const counted = (unit: Unit, count: string) => `${count} ${units[unit][count === "1" ? 0 : 1]}`;

function period(unit: Unit, { year, month, day }: Day): string {
  const monthName = months[month - 1] ?? "";
  const date = `${day} de ${monthName} de ${year}`;
  switch (unit) {
    case "year":
      return String(year);
    case "quarter":
      return `el T${Math.ceil(month / 3)} de ${year}`;
    case "month":
      return `${monthName} de ${year}`;
    case "week":
      return `la semana del ${date}`;
    case "day":
      return `el ${date}`;
  }
}

const heads: Record<FigureOperation, string> = {
  value: "el valor de",
  total: "el total de",
  average: "el promedio de",
  smallest: "el valor más bajo de",
  largest: "el valor más alto de",
};
/** What rows are ordered by, in the singular and in the plural. */
const ranked: Record<FigureOperation, [string, string]> = {
  value: ["el valor", "valores"],
  total: ["el total", "totales"],
  average: ["el promedio", "promedios"],
  smallest: ["el valor mínimo", "valores mínimos"],
  largest: ["el valor máximo", "valores máximos"],
};
const head = ({ operation, label, isNumber }: Subject): string => {
  if (!isNumber && operation === "smallest") return `el valor más antiguo de ${label}`;
  if (!isNumber && operation === "largest") return `el valor más reciente de ${label}`;
  return `${heads[operation]} ${label}`;
};
const best = (isTop: boolean, { operation, label }: Subject): string =>
  `${ranked[operation][0]} más ${isTop ? "alto" : "bajo"} de ${label}`;
const comparators = {
  "=": "",
  "!=": "distinto de",
  "<": "inferior a",
  "<=": "de como máximo",
  ">": "superior a",
  ">=": "de al menos",
};
const dateComparators = {
  "!=": "que no es ",
  "<": "antes ",
  "<=": "hasta ",
  ">": "después ",
  ">=": "a partir ",
};
/** "del 5 de octubre de 2026", "de octubre de 2026" */
const from = (name: Written): Written =>
  name.text.startsWith("el ") ? replaceStart(name, "el ", "del ") : write`de ${name}`;
/** Before the sound of i, "y" is "e". */
const listed = (items: readonly Written[]) =>
  joined(items, ", ", /^["]?(?:[ií]|h[ií](?!e))/i.test(items.at(-1)?.text ?? "") ? " e " : " y ");

const isPercent = (size: Piece): boolean =>
  (typeof size === "string" ? size : (size?.text ?? "")).endsWith("%");

const compared = (of: Written): Written => write`, en comparación con el valor${of}`;

export const spanish: Wording = {
  language: "es",
  numbers: { point: ",", group: "." },
  percent: (number) => `${number} %`,
  points: (number) => `${number} puntos`,
  trueOrFalse: (value) => (value ? "verdadero" : "falso"),
  listed,
  and: "y",
  colon: ":",
  period,
  inPeriod: (unit, start) => ` ${unit === "day" ? "" : "en "}${period(unit, start)}`,
  soFar: " (hasta ahora)",
  countedUnits: counted,
  partOfUnits: (unit, count, all) => `${count} de ${counted(unit, all)}`,
  ofUnits: (unit, count) => counted(unit, count),
  forName: (name) => write` para ${name}`,
  withValue: (label, comparator, value) =>
    comparator === "="
      ? write` para ${label} ${value}`
      : write` con un valor de ${label} ${comparators[comparator]} ${value}`,
  withDate: (label, comparator, name) => {
    const isWhole = comparator === "!=" || comparator === "<=";
    return write` con ${label} ${dateComparators[comparator]}${isWhole ? name : from(name)}`;
  },
  inFirstRows: (count) => (count === "1" ? " en la primera fila" : ` en las primeras ${count} filas`),
  subject: head,
  comparedWith: compared,
  inThisRun: " en esta ejecución",
  inLastRun: " en la última ejecución",
  sinceLastRun: " desde la última ejecución",
  inTitle: (title) => `en ${title}, `,
  bySqlOfModel: "según el SQL del modelo, ",
  figure: (subject, value, { isPast, rowCount }) => {
    const rows = rowCount === null ? "" : ` (${rowCount} ${rowCount === "1" ? "fila" : "filas"})`;
    return write`${head(subject)}${subject.where} ${isPast ? "fue" : "es"} ${value}${rows}`;
  },
  versus: ({ direction, size, isSlight, of, value }) => {
    const than = direction === "same" ? "lo mismo que" : `${direction === "up" ? "más" : "menos"} que`;
    const by = direction === "same" ? "" : isSlight ? "ligeramente " : write`${size} `;
    return write`${by}${than}${of}${value && write` (${value})`}`;
  },
  change: ({ subject, direction, size, from, to, fromWhere, toWhere }) =>
    direction === "same"
      ? write`${head(subject)}${subject.where} no cambió: ${to}${fromWhere} y${toWhere}`
      : write`${head(subject)}${subject.where} ${direction === "up" ? "subió" : "bajó"} ${isPercent(size) ? "un " : ""}${size}, de ${from}${fromWhere} a ${to}${toWhere}`,
  changedText: ({ subject, from, to, since }) =>
    write`${head(subject)}${subject.where} cambió${since} de ${from} a ${to}`,
  share: ({ name, label, where, percent, part, whole }) =>
    write`${name} representa el ${percent} del total de ${label}${where} (${part} de ${whole})`,
  extreme: ({ isTop, names, subject, value }) => {
    const [only, second] = names;
    return only && !second
      ? write`${only} tiene ${best(isTop, subject)}${subject.where}: ${value}`
      : write`${listed(names)} tienen ${best(isTop, subject)}${subject.where}: ${value}`;
  },
  ranking: ({ isTop, count, subject, items }) =>
    write`los ${count} ${ranked[subject.operation][1]} más ${isTop ? "altos" : "bajos"} de ${subject.label}${subject.where} son ${listed(items)}`,
  rank: ({ name, rank, of, subject, value }) =>
    write`${name} ocupa el puesto ${rank} de ${of} por ${ranked[subject.operation][0]} de ${subject.label}${subject.where} (el valor más alto primero), con ${value}`,
  list: ({ subject, comparedWith, items }) =>
    write`${head(subject)}${subject.where}${comparedWith && compared(comparedWith)}: ${listed(items)}`,
  columns: ({ where, comparedWith, items }) =>
    write`valores${where}${comparedWith && compared(comparedWith)}: ${listed(items)}`,
  movers: ({ subject, isAll, isOfBothRuns, items }) => {
    const change =
      items.length === 1
        ? `el ${isAll ? "único" : "mayor"} cambio`
        : `los ${isAll ? "únicos" : "mayores"} cambios`;
    const rows = isOfBothRuns ? "en las filas de ambas ejecuciones" : "desde la última ejecución";
    const moves = items.map(({ name, by, to }) => write`${name} ${by} a ${to}`);
    return write`${change} de ${subject.label} ${rows}: ${listed(moves)}`;
  },
  count: ({ count, isOne, isNone, where, all }) => {
    const total = all === null ? "" : ` (de ${all})`;
    if (isNone) return write`no hay filas${where}${total}`;
    return write`hay ${count} ${isOne ? "fila" : "filas"}${where}${total}`;
  },
  distinct: ({ count, isOne, label, where }) =>
    isOne
      ? write`hay 1 solo valor de ${label}${where}`
      : write`hay ${count} valores distintos de ${label}${where}`,
  groups: ({ label, where, items }) => write`filas por ${label}${where}: ${listed(items)}`,
  empty: ({ label, count, all, where }) =>
    write`la columna ${label} está vacía en ${count} de ${all} filas${where}`,
  onlyFirstRows: (count) =>
    count.text === "1"
      ? write`solo se pudo leer la primera fila`
      : write`solo se pudieron leer las primeras ${count} filas`,
  newRows: (names) => write`filas nuevas desde la última ejecución: ${listed(names)}`,
  goneRows: (names) => write`filas desaparecidas desde la última ejecución: ${listed(names)}`,
  someNewRows: (count, isOne, example) =>
    write`${count} ${isOne ? "fila es nueva" : "filas son nuevas"} desde la última ejecución${example && write`, por ejemplo ${example}`}`,
  someGoneRows: (count, isOne, example) =>
    write`${count} ${isOne ? "fila desapareció" : "filas desaparecieron"} desde la última ejecución${example && write`, por ejemplo ${example}`}`,
  noNewRows: "ninguna fila es nueva desde la última ejecución",
  noGoneRows: "ninguna fila desapareció desde la última ejecución",
  nothingChanged: "nada ha cambiado desde la última ejecución",
  otherColumns: "las columnas no son las mismas que en la última ejecución",
  otherRows: "algunas filas no son las mismas que en la última ejecución",
  changedRows: ({ added, gone, changed }) =>
    write`desde la última ejecución, filas nuevas: ${added}, desaparecidas: ${gone}, modificadas: ${changed}`,
  covers: ({ first, last, counted: units }) =>
    write`las filas abarcan desde ${first} hasta ${last} (${units})`,
  latest: (name) => write`las filas más recientes son ${from(name)}`,
  noRowsSince: (name) => write`no hay filas desde ${name}`,
  gaps: (names, more) =>
    write`no hay filas para ${more === null ? listed(names) : write`${joined(names, ", ")} y ${more} más`}`,
  noGaps: (unit, first, last) =>
    write`desde ${first} hasta ${last} no falta ${unit === "week" ? "ninguna" : "ningún"} ${units[unit][0]}`,
  read: (titles) => `Resultados leídos: ${titles.join(", ")}.`,
  result: "resultado",
};
