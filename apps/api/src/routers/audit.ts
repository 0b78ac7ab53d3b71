import { listAudit } from "@querybell/core/audit";
import { AuditEntry, ListAudit, pageOf } from "@querybell/domain";
import type { TRPCRouterRecord } from "@trpc/server";
import { adminProcedure, checked, parsed } from "../trpc/procedures.ts";

export const auditRouter = {
  list: adminProcedure
    .meta({ summary: "Lists the audit log, newest first; filtered by `actor`, `action` and time" })
    .input(parsed(ListAudit.prefault({})))
    .output(checked(pageOf(AuditEntry)))
    .query(({ ctx, input }) => listAudit(ctx.deps, ctx.caller, input)),
} satisfies TRPCRouterRecord;
