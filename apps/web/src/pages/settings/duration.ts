const sizes = { days: 86_400, hours: 3600, minutes: 60, seconds: 1 };

type Unit = keyof typeof sizes;

export interface Duration {
  amount: number;
  unit: Unit;
}

export const units: Unit[] = ["minutes", "hours", "days"];

/** In the largest unit that leaves a whole number. */
export function durationOf(seconds: number): Duration {
  const [unit, size] = (
    [
      ["days", sizes.days],
      ["hours", sizes.hours],
      ["minutes", sizes.minutes],
    ] as const
  ).find(([, size]) => seconds % size === 0) ?? ["minutes", sizes.minutes];
  return { amount: seconds / size, unit };
}

export const secondsOf = ({ amount, unit }: Duration): number => Math.round(amount * sizes[unit]);
