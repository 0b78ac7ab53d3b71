import { z } from "zod";
import { CronError, firstMatch, parseCron } from "./cron.ts";
import { isTimeZone, suggestTimeZone } from "./time-zone.ts";

const CronExpression = z
  .string()
  .max(500, "must have at most 500 characters")
  .superRefine((text, context) => {
    const message = problemOf(text);
    if (message !== undefined) context.addIssue({ code: "custom", message });
  })
  .meta({ examples: ["0 9 * * mon-fri"] });

const TimeZone = z
  .string()
  .max(100, "must have at most 100 characters")
  .refine(isTimeZone, {
    error: ({ input }) => {
      const suggestion = suggestTimeZone(String(input));
      return `"${input}" is no time zone known here. ${suggestion ? `Did you mean ${suggestion}?` : "Give an IANA name like Europe/Prague, America/New_York or UTC."}`;
    },
  })
  .meta({ examples: ["Europe/Prague"] });

/** A schedule: five fields of cron (or an alias like @daily), and a time zone. */
export const Schedule = z.strictObject({ cron: CronExpression, timeZone: TimeZone });
export type Schedule = z.infer<typeof Schedule>;

function problemOf(text: string): string | undefined {
  try {
    if (firstMatch(parseCron(text), 0) !== null) return undefined;
    return `"${text.trim()}" never fires: none of its months has such a day. Change the day of the month or the month.`;
  } catch (error) {
    if (error instanceof CronError) return error.message;
    throw error;
  }
}
