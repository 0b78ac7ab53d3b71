import { nextTime, Schedule } from "@querybell/domain";

interface Scheduled {
  enabled: boolean;
  schedule: unknown;
}

/** The next scheduled time after a given time. Null for paused automations and those without a schedule. */
export const nextRunAt = ({ enabled, schedule }: Scheduled, after: Date): Date | null =>
  enabled && schedule !== null ? nextTime(Schedule.parse(schedule), after) : null;
