/**
 * Milliseconds of the machine's monotonic clock, with fractions. Unlike `performance.timeOrigin + performance.now()`, it
 * is the same clock in every process of the machine, and nobody sets it.
 */
export const monotonicMs = (): number => Number(process.hrtime.bigint()) / 1e6;
