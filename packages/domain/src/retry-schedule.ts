const [second, minute, hour] = [1_000, 60_000, 3_600_000];

/** The waits after attempts 1 to 7. The eighth failure exhausts a delivery. */
const waits = [30 * second, 2 * minute, 8 * minute, 32 * minute, 2 * hour, 8.5 * hour, 24 * hour];

export const maxWebhookAttempts = waits.length + 1;

const maxJitter = 0.1;

/** When to try again after the attempt with this number failed; undefined after the last. */
export function nextAttemptAt(attempt: number, endedAt: Date, random: () => number): Date | undefined {
  const wait = waits[attempt - 1];
  return wait === undefined ? undefined : new Date(endedAt.getTime() + wait * (1 + random() * maxJitter));
}
