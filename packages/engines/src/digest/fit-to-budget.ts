import { closingSentences } from "./closing-sentences.ts";
import { counted, type Fact, type Report } from "./report.ts";
import { writeCount } from "./write-number.ts";

interface Chosen {
  report: Report;
  /** The facts that have room, as worded. */
  said: Map<Fact, string>;
}

/**
 * As much as fits, whole sentences only. What changed comes first, then what could not be compared; where nothing
 * changed is one sentence for all, unless there is nothing else. A reference that is spoken of says its first fact
 * at least, and all say theirs before any says its second. What has no room is counted.
 */
export function fitToBudget(reports: readonly Report[], maxLength: number): string {
  const among = (state: Report["state"]) => reports.filter((report) => report.state === state);
  const telling = [...among("changed"), ...among("unknown")];
  let chosen = (telling.length > 0 ? telling : among("same")).map(briefly);
  const write = (isNaming = false) => {
    const spoken = new Set(chosen.map(({ report }) => report));
    const left = reports.filter((report) => !spoken.has(report));
    return [...chosen.flatMap(sentencesOf(chosen.length)), ...closingSentences(left, isNaming)].join(" ");
  };
  const fits = () => write().length <= maxLength;
  while (chosen.length > 1 && !fits()) chosen = chosen.slice(0, -1);

  const turns = Math.max(0, ...chosen.map(({ report }) => report.facts.length));
  for (let turn = 0; turn < turns; turn++) {
    for (const { report, said } of chosen) {
      const fact = report.facts[turn];
      if (fact) sayIfFits(fact, said, fits);
    }
  }
  const named = write(true);
  return named.length <= maxLength ? named : write();
}

/** With nothing but the first fact, worded as shortly as can be. */
function briefly(report: Report): Chosen {
  const [first] = report.facts;
  const wording = first?.wordings.at(-1);
  return { report, said: new Map(first && wording !== undefined ? [[first, wording]] : []) };
}

/** In the longest wording that fits. One that was said before stays, at its shortest. */
function sayIfFits(fact: Fact, said: Chosen["said"], fits: () => boolean): void {
  const wasSaid = said.has(fact);
  for (const wording of fact.wordings) {
    said.set(fact, wording);
    if (fits()) return;
  }
  if (!wasSaid) said.delete(fact);
}

/** Of one reference alone it is worth the room to say how many columns are not spoken of. */
const sentencesOf =
  (chosenCount: number) =>
  ({ report, said }: Chosen): string[] => {
    const columns = new Set([...said.keys()].map(({ column }) => column).filter((column) => column !== null));
    const more = chosenCount === 1 ? report.columnCount - columns.size : 0;
    const rest = more > 0 ? [`And ${counted(writeCount(more), "more column")}.`] : [];
    return [report.head, ...said.values(), ...rest];
  };
