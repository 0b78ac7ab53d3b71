/** Milliseconds since 1970, with fractions; comparable between processes on one machine. */
export const wallTime = (): number => performance.timeOrigin + performance.now();
