import type { Fact, Report } from "./facts.ts";

const maxLength = 600;

interface Chosen {
  report: Report;
  /** The facts that fit, with the sentence of each. */
  sentences: Map<Fact, string>;
}

/** How many unchanged results are mentioned besides the changed ones. */
const maxUnchanged = 2;

/**
 * A short summary, in plain text, of what a run looked at: as many whole sentences as fit. Results that changed come
 * first, then those that could not be compared, then a few that are the same, in one sentence each. Every result gets
 * its n-th fact before any gets the next, and those that do not fit are counted.
 */
export function writeDigest(reports: readonly Report[]): string {
  if (reports.length === 0) return "There was no result to look at.";
  const withState = (state: Report["state"]) => reports.filter((report) => report.state === state);
  const [important, same] = [[...withState("changed"), ...withState("unknown")], withState("same")];
  const areAllSame = important.length === 0;
  let chosen = [...important, ...(areAllSame ? same : same.slice(0, maxUnchanged))].map(toShortest);
  const write = (isNaming = false) => {
    const mentioned = new Set(chosen.map(({ report }) => report));
    const left = reports.filter((report) => !mentioned.has(report));
    const closing = areAllSame ? [nothingChanged] : closingSentences(left, isNaming);
    const isFirstSame = ({ report }: Chosen, i: number) =>
      !areAllSame && report.state === "same" && chosen[i - 1]?.report.state !== "same";
    const texts = chosen.map((one, i) => {
      const text = textOf(one, chosen);
      return isFirstSame(one, i) ? `Unchanged since the last run: ${text}` : text;
    });
    return [...texts, ...closing].join(" ");
  };
  const fits = () => write().length <= maxLength;
  while (chosen.length > 1 && !fits()) chosen = chosen.slice(0, -1);

  const rounds = Math.max(0, ...chosen.map(({ report }) => report.facts.length));
  for (let round = 0; round < rounds; round++) {
    for (const { report, sentences } of chosen) {
      const fact = report.facts[round];
      if (fact && (round === 0 || areAllSame || report.state !== "same")) addIfFits(fact, sentences, fits);
    }
  }
  const named = write(true);
  return named.length <= maxLength ? named : write();
}

const nothingChanged = "Nothing has changed since the last run.";

/** Only the first fact, in its shortest wording. */
function toShortest(report: Report): Chosen {
  const [first] = report.facts;
  const wording = first?.wordings.at(-1);
  return { report, sentences: new Map(first && wording !== undefined ? [[first, wording]] : []) };
}

/** Adds a fact in its longest wording that fits. A fact that was there before stays, in its shortest wording. */
function addIfFits(fact: Fact, sentences: Chosen["sentences"], fits: () => boolean): void {
  const isChosen = sentences.has(fact);
  for (const wording of fact.wordings) {
    sentences.set(fact, wording);
    if (fits()) return;
  }
  if (!isChosen) sentences.delete(fact);
}

/** The title comes first, unless the first sentence says as much and no other result is about the same. */
function textOf({ report, sentences }: Chosen, chosen: readonly Chosen[]): string {
  const [first = "", ...others] = sentences.values();
  const isClear =
    report.subject !== null &&
    chosen.filter(({ report: { subject } }) => subject === report.subject).length === 1;
  const start = isClear ? capitalized(first) : `${report.title}: ${first}`;
  return [start, ...others.map(capitalized)].join(" ");
}

/** The first letter as at the beginning of a sentence. */
const capitalized = (text: string): string => text.replace(/^\p{Ll}/u, (letter) => letter.toUpperCase());

/** Sentences about the results that are not mentioned one by one. */
function closingSentences(left: readonly Report[], isNaming: boolean): string[] {
  const withState = (state: Report["state"]) => left.filter((report) => report.state === state);
  const [changed, same, unknown] = [withState("changed"), withState("same"), withState("unknown")];
  const sentences: string[] = [];
  if (changed.length > 0) sentences.push(`${counted(changed.length, "more result")} changed.`);
  if (same.length > 0) {
    const which = isNaming ? listed(same) : counted(same.length, "other result");
    sentences.push(`Nothing has changed in ${which}.`);
  }
  if (unknown.length > 0) sentences.push(`And ${counted(unknown.length, "more result")}.`);
  return sentences;
}

function listed(reports: readonly Report[]): string {
  const titles = reports.map(({ title }) => title);
  const [last = "", ...others] = titles.toReversed();
  return others.length > 0 ? `${others.toReversed().join(", ")} and ${last}` : last;
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;
