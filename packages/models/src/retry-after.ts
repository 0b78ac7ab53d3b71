/** The milliseconds of a `retry-after` header: seconds, or a date. Undefined without one that can be read. */
export function parseRetryAfter(text: string | undefined, clock: { now(): Date }): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,9}$/.test(text.trim())) return Number(text) * 1000;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, at - clock.now().getTime());
}
