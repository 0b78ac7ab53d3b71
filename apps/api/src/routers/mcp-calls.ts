import { listMcpCalls } from "@querybell/core/mcp-calls";
import { McpCall } from "@querybell/domain";
import type { TRPCRouterRecord } from "@trpc/server";
import { checked, viewerProcedure } from "../trpc/procedures.ts";

export const mcpCallRouter = {
  list: viewerProcedure()
    .meta({
      summary:
        "Lists the last 100 calls of tools [over MCP](../agents.md), newest first: for admins those of the organization, for others those with their own keys. They are kept for a week, at most 1,000 of an organization",
    })
    .output(checked(McpCall.array()))
    .query(({ ctx }) => listMcpCalls(ctx.deps, ctx.caller)),
} satisfies TRPCRouterRecord;
