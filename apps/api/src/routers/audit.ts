import { listAudit } from "@querybell/core";
import { AuditEntry, ListAudit } from "@querybell/domain";
import type { TRPCRouterRecord } from "@trpc/server";
import { adminProcedure } from "../trpc/procedures.ts";

export const auditRouter = {
  list: adminProcedure
    .input(ListAudit)
    .output(AuditEntry.array())
    .query(({ ctx, input }) => listAudit(ctx.deps, ctx.caller, input)),
} satisfies TRPCRouterRecord;
