/** Milliseconds since 1970 with their fractions: comparable between processes of one machine. */
export const wallTime = (): number => performance.timeOrigin + performance.now();
