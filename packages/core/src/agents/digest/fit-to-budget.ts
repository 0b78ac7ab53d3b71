import { counted, type Fact, type Report } from "./report.ts";
import { writeCount } from "./write-number.ts";

interface Chosen {
  report: Report;
  said: { fact: Fact; wording: string }[];
}

/**
 * As much as fits, whole sentences only. The references take turns: each says its first fact before any says
 * its second. What has no room is counted.
 */
export function fitToBudget(reports: readonly Report[], maxLength: number): string {
  let chosen: Chosen[] = reports.map((report) => ({ report, said: [] }));
  const write = () => render(chosen, reports.length - chosen.length);
  while (chosen.length > 1 && write().length > maxLength) chosen = chosen.slice(0, -1);

  const turns = Math.max(0, ...chosen.map(({ report }) => report.facts.length));
  for (let turn = 0; turn < turns; turn++) {
    for (const { report, said } of chosen) {
      const fact = report.facts[turn] ?? { wordings: [], column: null };
      for (const wording of fact.wordings) {
        said.push({ fact, wording });
        if (write().length <= maxLength) break;
        said.pop();
      }
    }
  }
  return write();
}

function render(chosen: readonly Chosen[], leftOut: number): string {
  const sentences = chosen.flatMap(({ report, said }) => {
    const columns = new Set(said.map(({ fact }) => fact.column).filter((column) => column !== null));
    const more = report.columnCount - columns.size;
    return [
      report.head,
      ...said.map(({ wording }) => wording),
      ...(more > 0 ? [`And ${counted(writeCount(more), "more column")}.`] : []),
    ];
  });
  if (leftOut > 0) sentences.push(`And ${counted(writeCount(leftOut), "more result")}.`);
  return sentences.join(" ");
}
