import type { Unit } from "../../digest/periods.ts";
import type { Day } from "../../digest/written-day.ts";
import { joined, replaceStart, type Written, write } from "../written.ts";
import type { FigureOperation, Subject, Wording } from "./wording.ts";

const months = "janvier février mars avril mai juin juillet août septembre octobre novembre décembre".split(
  " ",
);
const units: Record<Unit, [string, string]> = {
  day: ["jour", "jours"],
  week: ["semaine", "semaines"],
  month: ["mois", "mois"],
  quarter: ["trimestre", "trimestres"],
  year: ["année", "années"],
};
const isOne = (count: string) => count === "0" || count === "1";
const counted = (unit: Unit, count: string) => `${count} ${units[unit][isOne(count) ? 0 : 1]}`;
const rowsOf = (count: string) => `${count} ${isOne(count) ? "ligne" : "lignes"}`;

function period(unit: Unit, { year, month, day }: Day): string {
  const monthName = months[month - 1] ?? "";
  const date = `${day === 1 ? "1er" : day} ${monthName} ${year}`;
  switch (unit) {
    case "year":
      return String(year);
    case "quarter":
      return `le T${Math.ceil(month / 3)} ${year}`;
    case "month":
      return `${monthName} ${year}`;
    case "week":
      return `la semaine du ${date}`;
    case "day":
      return `le ${date}`;
  }
}

/** A vowel or a common word with a silent h, before which "de" and "que" lose their vowel. */
const vowel =
  /^(?:[aeiouàâäéèêëîïôöùûüœæ]|y(?![aeiou])|h(?:eure|omme|abitant|istor|ôtel|otel|oraire|éberg|eberg|ectare))/i;
const elided = (word: string, text: string): string =>
  vowel.test(text) ? `${word.slice(0, -1)}’${text}` : `${word} ${text}`;
const de = (label: string): string => elided("de", label);

/** "du 5 octobre 2026", "de la semaine du …", "d’octobre 2026" */
const from = (name: Written): Written => {
  if (name.text.startsWith("le ")) return replaceStart(name, "le ", "du ");
  return vowel.test(name.text) ? write`d’${name}` : write`de ${name}`;
};
const until = (name: Written): Written =>
  name.text.startsWith("le ") ? replaceStart(name, "le ", "au ") : write`à ${name}`;

const heads: Record<FigureOperation, string> = {
  value: "la valeur",
  total: "le total",
  average: "la moyenne",
  smallest: "la valeur la plus basse",
  largest: "la valeur la plus élevée",
};
const head = ({ operation, label, isNumber }: Subject): string => {
  if (!isNumber && operation === "smallest") return `la valeur la plus ancienne ${de(label)}`;
  if (!isNumber && operation === "largest") return `la valeur la plus récente ${de(label)}`;
  return `${heads[operation]} ${de(label)}`;
};
/** What rows are ordered by, in the singular and in the plural. */
const ranked: Record<FigureOperation, [string, string]> = {
  value: ["la valeur", "valeurs"],
  total: ["le total", "totaux"],
  average: ["la moyenne", "moyennes"],
  smallest: ["la valeur minimale", "valeurs minimales"],
  largest: ["la valeur maximale", "valeurs maximales"],
};
const best = (isTop: boolean, { operation, label }: Subject): string =>
  operation === "total"
    ? `le total le plus ${isTop ? "élevé" : "bas"} ${de(label)}`
    : `${ranked[operation][0]} la plus ${isTop ? "élevée" : "basse"} ${de(label)}`;
const comparators = {
  "=": "",
  "!=": "différente de",
  "<": "inférieure à",
  "<=": "d’au plus",
  ">": "supérieure à",
  ">=": "d’au moins",
};
function aroundDate(comparator: "!=" | "<" | "<=" | ">" | ">=", name: Written): Written {
  switch (comparator) {
    case "!=":
      return write`autre que ${name}`;
    case "<":
      return write`avant ${name}`;
    case "<=":
      return write`jusqu’${until(name)}`;
    case ">":
      return write`après ${name}`;
    case ">=":
      return write`à partir ${from(name)}`;
  }
}
const listed = (items: readonly Written[]) => joined(items, ", ", " et ");
/** "qu’en octobre", "que pour …" */
const than = (of: Written): Written =>
  vowel.test(of.text.slice(1)) ? write`qu’${replaceStart(of, " ", "")}` : write`que${of}`;

const compared = (of: Written): Written => write`, par rapport à la valeur${of}`;

export const french: Wording = {
  language: "fr",
  numbers: { point: ",", group: "\u00a0" },
  percent: (number) => `${number}\u00a0%`,
  points: (number) => `${number} points`,
  trueOrFalse: (value) => (value ? "vrai" : "faux"),
  listed,
  and: "et",
  colon: " :",
  period,
  inPeriod: (unit, start) => {
    const name = period(unit, start);
    if (unit === "quarter") return ` ${name.replace("le ", "au ")}`;
    return ` ${unit === "day" ? "" : unit === "week" ? "pendant " : "en "}${name}`;
  },
  soFar: " (jusqu’ici)",
  countedUnits: counted,
  partOfUnits: (unit, count, all) => `${count} sur ${counted(unit, all)}`,
  ofUnits: (unit, count) => counted(unit, count),
  forName: (name) => write` pour ${name}`,
  withValue: (label, comparator, value) =>
    comparator === "="
      ? write` pour ${label} ${value}`
      : write` avec une valeur ${de(label)} ${comparators[comparator]} ${value}`,
  withDate: (label, comparator, name) => write` avec ${label} ${aroundDate(comparator, name)}`,
  inFirstRows: (count) => (count === "1" ? " dans la première ligne" : ` dans les ${count} premières lignes`),
  subject: head,
  comparedWith: compared,
  inThisRun: " lors de cette exécution",
  inLastRun: " lors de la dernière exécution",
  sinceLastRun: " depuis la dernière exécution",
  inTitle: (title) => `dans ${title}, `,
  bySqlOfModel: "selon le SQL du modèle, ",
  figure: (subject, value, { isPast, rowCount }) => {
    const rows = rowCount === null ? "" : ` (${rowsOf(rowCount)})`;
    const is = `${isPast ? "était" : "est"}${subject.isNumber ? " de" : ""}`;
    return write`${head(subject)}${subject.where} ${is} ${value}${rows}`;
  },
  versus: ({ direction, size, isSlight, of, value }) => {
    const bracketed = value && write` (${value})`;
    if (direction === "same") return write`autant ${than(of)}${bracketed}`;
    const more = direction === "up" ? "plus" : "moins";
    return isSlight
      ? write`légèrement ${more} ${than(of)}${bracketed}`
      : write`${size} de ${more} ${than(of)}${bracketed}`;
  },
  change: ({ subject, direction, size, from, to, fromWhere, toWhere }) =>
    direction === "same"
      ? write`${head(subject)}${subject.where} n’a pas changé : ${to}${fromWhere} et${toWhere}`
      : write`${head(subject)}${subject.where} a ${direction === "up" ? "augmenté" : "baissé"} de ${size}, de ${from}${fromWhere} à ${to}${toWhere}`,
  changedText: ({ subject, from, to, since }) =>
    write`${head(subject)}${subject.where} a changé${since}, de ${from} à ${to}`,
  share: ({ name, label, where, percent, part, whole }) =>
    write`${name} représente ${percent} du total ${de(label)}${where} (${part} sur ${whole})`,
  extreme: ({ isTop, names, subject, value }) => {
    const [only, second] = names;
    return only && !second
      ? write`${only} a ${best(isTop, subject)}${subject.where} : ${value}`
      : write`${listed(names)} ont ${best(isTop, subject)}${subject.where} : ${value}`;
  },
  ranking: ({ isTop, count, subject, items }) => {
    const isTotal = subject.operation === "total";
    const what = ranked[subject.operation][1];
    const size = isTop ? (isTotal ? "élevés" : "élevées") : isTotal ? "bas" : "basses";
    return write`les ${count} ${what} les plus ${size} ${de(subject.label)}${subject.where} sont ${listed(items)}`;
  },
  rank: ({ name, rank, of, subject, value }) =>
    write`${name} est au rang ${rank} sur ${of} pour ${ranked[subject.operation][0]} ${de(subject.label)}${subject.where} (la valeur la plus élevée en tête), avec ${value}`,
  list: ({ subject, comparedWith, items }) =>
    write`${head(subject)}${subject.where}${comparedWith && compared(comparedWith)} : ${listed(items)}`,
  columns: ({ where, comparedWith, items }) =>
    write`valeurs${where}${comparedWith && compared(comparedWith)} : ${listed(items)}`,
  movers: ({ subject, isAll, isOfBothRuns, items }) => {
    const [the, s] = items.length === 1 ? ["le", ""] : ["les", "s"];
    const change = `${the} ${isAll ? `seul${s}` : `plus grand${s}`} changement${s} ${de(subject.label)}`;
    const rows = isOfBothRuns ? "dans les lignes des deux exécutions" : "depuis la dernière exécution";
    const moves = items.map(({ name, by, to }) => write`${name} ${by} à ${to}`);
    return write`${change} ${rows} : ${listed(moves)}`;
  },
  count: ({ count, isOne, isNone, where, all }) => {
    const total = all === null ? "" : ` (sur ${all})`;
    if (isNone) return write`il n’y a pas de lignes${where}${total}`;
    return write`il y a ${count} ${isOne ? "ligne" : "lignes"}${where}${total}`;
  },
  distinct: ({ count, isOne, label, where }) =>
    isOne
      ? write`il y a 1 seule valeur ${de(label)}${where}`
      : write`il y a ${count} valeurs différentes ${de(label)}${where}`,
  groups: ({ label, where, items }) => write`lignes par ${label}${where} : ${listed(items)}`,
  empty: ({ label, count, all, where }) =>
    write`la colonne ${label} est vide dans ${count} ${isOne(count.text) ? "ligne" : "lignes"} sur ${all}${where}`,
  onlyFirstRows: (count) =>
    count.text === "1"
      ? write`seule la première ligne a pu être lue`
      : write`seules les ${count} premières lignes ont pu être lues`,
  newRows: (names) => write`nouvelles lignes depuis la dernière exécution : ${listed(names)}`,
  goneRows: (names) => write`lignes disparues depuis la dernière exécution : ${listed(names)}`,
  someNewRows: (count, isOne, example) =>
    write`${count} ${isOne ? "ligne est nouvelle" : "lignes sont nouvelles"} depuis la dernière exécution${example && write`, par exemple ${example}`}`,
  someGoneRows: (count, isOne, example) =>
    write`${count} ${isOne ? "ligne a disparu" : "lignes ont disparu"} depuis la dernière exécution${example && write`, par exemple ${example}`}`,
  noNewRows: "aucune ligne n’est nouvelle depuis la dernière exécution",
  noGoneRows: "aucune ligne n’a disparu depuis la dernière exécution",
  nothingChanged: "rien n’a changé depuis la dernière exécution",
  otherColumns: "les colonnes ne sont pas les mêmes que lors de la dernière exécution",
  otherRows: "certaines lignes ne sont pas les mêmes que lors de la dernière exécution",
  changedRows: ({ added, gone, changed }) =>
    write`depuis la dernière exécution, lignes nouvelles : ${added}, disparues : ${gone}, modifiées : ${changed}`,
  covers: ({ first, last, counted: units }) =>
    write`les lignes vont ${from(first)} ${until(last)} (${units})`,
  latest: (name) => write`les lignes les plus récentes datent ${from(name)}`,
  noRowsSince: (name) => write`il n’y a pas de lignes depuis ${name}`,
  gaps: (names, more) =>
    write`il n’y a pas de lignes pour ${more === null ? listed(names) : write`${joined(names, ", ")} et ${more} de plus`}`,
  noGaps: (unit, first, last) =>
    write`${unit === "week" || unit === "year" ? "aucune" : "aucun"} ${units[unit][0]} ne manque ${from(first)} ${until(last)}`,
  read: (titles) => `Résultats lus : ${titles.join(", ")}.`,
  result: "résultat",
};
