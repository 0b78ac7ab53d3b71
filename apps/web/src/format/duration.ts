/** How long something took, in at most two units. */
export function durationText(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  if (seconds < 1) return "under a second";
  if (seconds < 60) return `${seconds} s`;
  const [minutes, hours] = [Math.floor(seconds / 60), Math.floor(seconds / 3600)];
  if (hours < 1) return withRest(`${minutes} min`, seconds % 60, "s");
  return withRest(`${hours} h`, minutes % 60, "min");
}

const withRest = (words: string, rest: number, unit: string): string =>
  rest === 0 ? words : `${words} ${rest} ${unit}`;

interface Timed {
  startedAt: string | null;
  completedAt: string | null;
}

/** How long a run took; undefined if it has not started or not ended. */
export const durationOf = ({ startedAt, completedAt }: Timed): string | undefined =>
  startedAt && completedAt ? durationText(Date.parse(completedAt) - Date.parse(startedAt)) : undefined;
