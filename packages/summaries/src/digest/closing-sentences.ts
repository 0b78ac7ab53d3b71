import { counted, type Report } from "./report.ts";

/** Sentences about the results that are not mentioned one by one. */
export function closingSentences(left: readonly Report[], isNaming: boolean): string[] {
  const withState = (state: Report["state"]) => left.filter((report) => report.state === state);
  const [changed, same, unknown] = [withState("changed"), withState("same"), withState("unknown")];
  const sentences: string[] = [];
  if (changed.length > 0) sentences.push(`${counted(String(changed.length), "more result")} changed.`);
  if (same.length > 0) {
    const which = isNaming ? listed(same) : counted(String(same.length), "other result");
    sentences.push(`Nothing has changed in ${which}.`);
  }
  if (unknown.length > 0) sentences.push(`And ${counted(String(unknown.length), "more result")}.`);
  return sentences;
}

function listed(reports: readonly Report[]): string {
  const titles = reports.map(({ title }) => title);
  const [last = "", ...others] = titles.toReversed();
  return others.length > 0 ? `${others.toReversed().join(", ")} and ${last}` : last;
}
