import { z } from "zod";
import { Id } from "./ids.ts";
import { Timestamp } from "./time.ts";

/** How many days calls over MCP are kept, and how many of each organization. */
export const mcpCallDays = 7;
export const maxMcpCalls = 1_000;

/** A call of a tool over MCP, without what was asked and answered. */
export const McpCall = z.object({
  id: Id,
  at: Timestamp,
  tool: z.string().describe("The tool, or a method like `events/subscribe`"),
  key: z.object({ id: Id, name: z.string() }).describe("The API key with which it was called"),
  owner: z.object({ userId: Id, name: z.string() }).describe("The person or service account of the key"),
  rowCount: z.int().nullable().describe("The rows that it answered; null if it answers none"),
  durationMs: z.int(),
  errorCode: z.string().nullable().describe("Why it failed; null if it did not"),
});
export type McpCall = z.infer<typeof McpCall>;
