import { getOperations } from "@querybell/core/operations";
import { Operations } from "@querybell/domain";
import { checkReadiness, version } from "@querybell/runtime";
import type { TRPCRouterRecord } from "@trpc/server";
import { checked, personProcedure } from "../trpc/procedures.ts";

export const operationsRouter = {
  get: personProcedure
    .meta({
      summary:
        "Gets the state of the whole deployment: processes, queues, disks, backups, what is wrong and what to do",
      errors: { forbidden: "the operator does not name the caller in `DEPLOYMENT_ADMINS`" },
    })
    .output(checked(Operations))
    .query(({ ctx }) => getOperations({ ...ctx.deps, checkReadiness, version }, ctx.person)),
} satisfies TRPCRouterRecord;
