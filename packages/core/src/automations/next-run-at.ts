import { nextTime, Schedule } from "@querybell/domain";

interface Scheduled {
  enabled: boolean;
  schedule: unknown;
}

/** When an automation runs by itself for the next time after a moment; null for what is paused or on demand. */
export const nextRunAt = ({ enabled, schedule }: Scheduled, after: Date): Date | null =>
  enabled && schedule !== null ? nextTime(Schedule.parse(schedule), after) : null;
