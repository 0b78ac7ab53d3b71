/** The milliseconds of a `retry-after` header: seconds, or a date. Undefined without one that can be read. */
export function parseRetryAfter(text: string | undefined, clock: { now(): Date }): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,9}$/.test(text.trim())) return Number(text) * 1000;
  // Date.parse also takes "1.5" and "-1" for dates, long ago.
  const at = /^[A-Z][a-z]{2,8},? /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, at - clock.now().getTime());
}
