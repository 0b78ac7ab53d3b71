interface Schedule {
  cron: string;
  timeZone: string;
}

/** The presets of the form; `cron` for schedules that no preset can express. */
type Preset = "none" | "hourly" | "daily" | "weekdays" | "weekly" | "monthly" | "cron";

export interface ScheduleValues {
  preset: Preset;
  /** "09:00"; of an hourly schedule only the minutes count. */
  time: string;
  /** 0 is Sunday, as in cron. */
  weekday: string;
  dayOfMonth: string;
  cron: string;
  timeZone: string;
}

/** Whether the preset fires at a time of day that the user chooses. */
export const hasTime = ({ preset }: ScheduleValues): boolean => preset !== "none" && preset !== "cron";

/** Converts the form's values to a schedule; null for "on demand". */
export function toSchedule(values: ScheduleValues): Schedule | null {
  const cron = cronOf(values);
  return cron === null ? null : { cron, timeZone: values.timeZone };
}

function cronOf({ preset, time, weekday, dayOfMonth, cron }: ScheduleValues): string | null {
  const [hour = 0, minute = 0] = time.split(":").map(Number);
  switch (preset) {
    case "none":
      return null;
    case "hourly":
      return `${minute} * * * *`;
    case "daily":
      return `${minute} ${hour} * * *`;
    case "weekdays":
      return `${minute} ${hour} * * 1-5`;
    case "weekly":
      return `${minute} ${hour} * * ${weekday}`;
    case "monthly":
      return `${minute} ${hour} ${dayOfMonth} * *`;
    case "cron":
      return cron;
  }
}

const shapes: [Preset, RegExp][] = [
  ["hourly", /^(?<minute>\d{1,2}) \* \* \* \*$/],
  ["daily", /^(?<minute>\d{1,2}) (?<hour>\d{1,2}) \* \* \*$/],
  ["weekdays", /^(?<minute>\d{1,2}) (?<hour>\d{1,2}) \* \* (1-5|mon-fri)$/i],
  ["weekly", /^(?<minute>\d{1,2}) (?<hour>\d{1,2}) \* \* (?<weekday>[0-6])$/],
  ["monthly", /^(?<minute>\d{1,2}) (?<hour>\d{1,2}) (?<dayOfMonth>\d{1,2}) \* \*$/],
];

/** Converts a schedule to the form's values: the equivalent preset, or its cron text. */
export function fromSchedule(schedule: Schedule | null, ownZone: string): ScheduleValues {
  const first = {
    time: "09:00",
    weekday: "1",
    dayOfMonth: "1",
    cron: schedule?.cron ?? "0 9 * * *",
    timeZone: schedule?.timeZone ?? ownZone,
  };
  if (!schedule) return { preset: "none", ...first };
  for (const [preset, shape] of shapes) {
    const found = shape.exec(schedule.cron.trim())?.groups;
    if (!found) continue;
    const { minute = "0", hour = "0", ...days } = found;
    return { preset, ...first, time: `${hour.padStart(2, "0")}:${minute.padStart(2, "0")}`, ...days };
  }
  return { preset: "cron", ...first };
}
