/** The time, injected: tests move it, production reads the machine's. */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };
