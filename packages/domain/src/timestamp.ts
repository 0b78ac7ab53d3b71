import { z } from "zod";

/** ISO 8601 in UTC with milliseconds, the form in which every timestamp leaves the product. */
export const Timestamp = z.iso.datetime({ precision: 3, error: "must be an ISO 8601 UTC timestamp" });
