import { z } from "zod";
import { unlessAbsent } from "./zod-messages.ts";

/** ISO 8601 in UTC with milliseconds, the form in which every timestamp leaves the product. */
export const Timestamp = z.iso.datetime({
  precision: 3,
  error: unlessAbsent("must be an ISO 8601 UTC timestamp"),
});

/** A moment as people write it: with or without milliseconds, in UTC or with an offset. */
export const Moment = z.iso
  .datetime({ offset: true, error: unlessAbsent("must be an ISO 8601 timestamp like 2027-01-31T12:00:00Z") })
  .transform((text) => new Date(text).toISOString())
  // The years before and after these are spelled otherwise, and databases take them for mistakes.
  .refine((text) => /^\d{4}-/.test(text) && text >= "0001", "must lie in the years 1 to 9999, in UTC");
