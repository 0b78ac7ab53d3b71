import { z } from "zod";
import { unlessAbsent } from "./zod-messages.ts";

/** ISO 8601 in UTC with milliseconds: the format of all timestamps in answers. */
export const Timestamp = z.iso.datetime({
  precision: 3,
  error: unlessAbsent("must be an ISO 8601 UTC timestamp"),
});

/** A timestamp in an input: with or without milliseconds, in UTC or with an offset. */
export const Moment = z.iso
  .datetime({ offset: true, error: unlessAbsent("must be an ISO 8601 timestamp like 2027-01-31T12:00:00Z") })
  .transform((text) => new Date(text).toISOString())
  // Other years have another ISO format, which databases reject.
  .refine((text) => /^\d{4}-/.test(text) && text >= "0001", "must lie in the years 1 to 9999, in UTC");

/** The current time. Injected, so that tests can control it. */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };
