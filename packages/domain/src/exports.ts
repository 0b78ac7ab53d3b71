import { z } from "zod";
import { Id } from "./ids.ts";
import { Timestamp } from "./time.ts";

/** How many days the file of an export can be downloaded. */
export const exportDays = 7;

/** A file with everything of an organization: at most one at a time. */
export const OrganizationExport = z.object({
  id: Id,
  state: z
    .enum(["pending", "running", "ready", "failed"])
    .describe("`failed`: it is tried again by itself a few times; create another one after that"),
  itemsDone: z.int(),
  itemsTotal: z.int().describe("0 until they are counted"),
  bytes: z.int().nullable().describe("The size of the file; null until it is ready"),
  createdAt: Timestamp,
  expiresAt: Timestamp.nullable().describe("When the file is deleted; null until it is ready"),
});
export type OrganizationExport = z.infer<typeof OrganizationExport>;

export const OrganizationExportId = z.strictObject({ id: Id });
export type OrganizationExportId = z.infer<typeof OrganizationExportId>;
