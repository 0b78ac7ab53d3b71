import { describeSchedule } from "@querybell/domain";

interface Scheduled {
  schedule: { cron: string; timeZone: string } | null;
}

/** "Every day at 09:00 in Europe/Berlin", or the cron text of a schedule that cannot be described briefly. */
export function scheduleText({ schedule }: Scheduled): string {
  if (!schedule) return "On demand";
  const words = describeSchedule(schedule) ?? `${schedule.cron} in ${schedule.timeZone}`;
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}
