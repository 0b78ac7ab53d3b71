import { listAudit } from "@querybell/core/audit";
import { AuditEntry, ListAudit, pageOf } from "@querybell/domain";
import type { TRPCRouterRecord } from "@trpc/server";
import { checked } from "../trpc/checked.ts";
import { adminProcedure } from "../trpc/procedures.ts";

export const auditRouter = {
  list: adminProcedure
    .meta({ summary: "What admins have changed, newest first; by `actor`, `action` and time" })
    .input(ListAudit.prefault({}))
    .output(checked(pageOf(AuditEntry)))
    .query(({ ctx, input }) => listAudit(ctx.deps, ctx.caller, input)),
} satisfies TRPCRouterRecord;
