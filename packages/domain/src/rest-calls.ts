import { z } from "zod";
import { Id } from "./ids.ts";
import { Timestamp } from "./timestamp.ts";

/** The last call of a published REST route with a key. */
export const RestCall = z.object({
  key: z.object({ id: Id, name: z.string(), start: z.string(), revoked: z.boolean() }),
  owner: z.object({ userId: Id, name: z.string(), email: z.string() }).describe("The owner of the key"),
  route: z.string().describe("Method and path as published, like `GET /api/queries/:queryId`"),
  lastCalledAt: Timestamp,
  retired: z.boolean().describe("Whether that call was refused because the routes are retired"),
});
export type RestCall = z.infer<typeof RestCall>;
