import { closingSentences } from "./closing-sentences.ts";
import { counted, type Fact, type Report } from "./report.ts";
import { writeCount } from "./write-number.ts";

interface Chosen {
  report: Report;
  /** The facts that fit, with the wording of each. */
  said: Map<Fact, string>;
}

/**
 * Chooses as many whole sentences as fit. Results that changed come first, then those that could not be compared.
 * Unchanged results share one sentence, unless there are no others. Each chosen reference has at least its first fact,
 * and every one gets its n-th fact before any gets the next. Results that do not fit are counted.
 */
export function fitToBudget(reports: readonly Report[], maxLength: number): string {
  const withState = (state: Report["state"]) => reports.filter((report) => report.state === state);
  const important = [...withState("changed"), ...withState("unknown")];
  let chosen = (important.length > 0 ? important : withState("same")).map(toShortest);
  const write = (isNaming = false) => {
    const mentioned = new Set(chosen.map(({ report }) => report));
    const left = reports.filter((report) => !mentioned.has(report));
    return [...chosen.flatMap(sentencesOf(chosen.length)), ...closingSentences(left, isNaming)].join(" ");
  };
  const fits = () => write().length <= maxLength;
  while (chosen.length > 1 && !fits()) chosen = chosen.slice(0, -1);

  const rounds = Math.max(0, ...chosen.map(({ report }) => report.facts.length));
  for (let round = 0; round < rounds; round++) {
    for (const { report, said } of chosen) {
      const fact = report.facts[round];
      if (fact) addIfFits(fact, said, fits);
    }
  }
  const named = write(true);
  return named.length <= maxLength ? named : write();
}

/** Only the first fact, in its shortest wording. */
function toShortest(report: Report): Chosen {
  const [first] = report.facts;
  const wording = first?.wordings.at(-1);
  return { report, said: new Map(first && wording !== undefined ? [[first, wording]] : []) };
}

/** Adds a fact in its longest wording that fits. A fact that was there before stays, in its shortest wording. */
function addIfFits(fact: Fact, said: Chosen["said"], fits: () => boolean): void {
  const wasSaid = said.has(fact);
  for (const wording of fact.wordings) {
    said.set(fact, wording);
    if (fits()) return;
  }
  if (!wasSaid) said.delete(fact);
}

/** If there is only one reference, the number of columns that are not mentioned is added. */
const sentencesOf =
  (chosenCount: number) =>
  ({ report, said }: Chosen): string[] => {
    const columns = new Set([...said.keys()].map(({ column }) => column).filter((column) => column !== null));
    const more = chosenCount === 1 ? report.columnCount - columns.size : 0;
    const rest = more > 0 ? [`And ${counted(writeCount(more), "more column")}.`] : [];
    return [report.head, ...said.values(), ...rest];
  };
