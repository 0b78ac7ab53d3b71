import { z } from "zod";
import { Id } from "./ids.ts";
import { Timestamp } from "./timestamp.ts";

/** The last call of a published REST route with a key: who would notice that the routes are retired. */
export const RestCall = z.object({
  key: z.object({ id: Id, name: z.string(), start: z.string(), revoked: z.boolean() }),
  /** Whose key it is. */
  owner: z.object({ userId: Id, name: z.string(), email: z.string() }),
  /** Method and path as published, like `GET /api/queries/:queryId`. */
  route: z.string(),
  lastCalledAt: Timestamp,
  /** Whether that call was refused because the routes are retired. */
  retired: z.boolean(),
});
export type RestCall = z.infer<typeof RestCall>;
