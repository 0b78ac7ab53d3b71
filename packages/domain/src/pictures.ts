import { z } from "zod";
import { Id } from "./ids.ts";
import { Text } from "./text.ts";

/** A number in an address. */
const numberBetween = (min: number, max: number) => z.coerce.number().pipe(z.number().min(min).max(max));

const Locale = Text.max(35).refine((locale) => isAccepted(() => new Intl.Locale(locale)), {
  message: "must be a language such as en or de-CH",
});

const TimeZone = Text.max(60).refine(
  (timeZone) => isAccepted(() => new Intl.DateTimeFormat("en", { timeZone })),
  {
    message: "must be a time zone such as Europe/Berlin",
  },
);

function isAccepted(create: () => unknown): boolean {
  try {
    create();
    return true;
  } catch {
    return false;
  }
}

/** How the picture of a dashboard looks: the query string of its address, besides the values of its filters. */
export const DashboardPictureParameters = z.strictObject({
  scheme: z.enum(["light", "dark"]).default("light"),
  locale: Locale.default("en"),
  timeZone: TimeZone.default("UTC"),
});
export type DashboardPictureParameters = z.infer<typeof DashboardPictureParameters>;

/** How the picture of a chart looks: the query string of its address. */
export const PictureParameters = z.strictObject({
  run: Id.optional().describe("The run whose result is drawn. Default: the latest one for the defaults"),
  scheme: z.enum(["light", "dark"]).default("light"),
  width: numberBetween(200, 2000).pipe(z.int()).default(960),
  height: numberBetween(120, 2000).pipe(z.int()).optional().describe("Default: what fits the chart"),
  scale: numberBetween(1, 2).default(2).describe("How many pixels a PNG has for each of the width"),
  locale: Locale.default("en"),
  timeZone: TimeZone.default("UTC"),
});
export type PictureParameters = z.infer<typeof PictureParameters>;
