import { describeSchedule } from "@querybell/domain";

interface Scheduled {
  schedule: { cron: string; timeZone: string } | null;
}

/** "Every day at 09:00 in Europe/Berlin"; the cron text itself where words would be too long. */
export function scheduleText({ schedule }: Scheduled): string {
  if (!schedule) return "On demand";
  const words = describeSchedule(schedule) ?? `${schedule.cron} in ${schedule.timeZone}`;
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}
