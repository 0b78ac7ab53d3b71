/// <reference path="./query-compiler.d.ts" />
import { QueryCompiler } from "@prisma/client/runtime/query_compiler_fast_bg.postgresql.mjs";

/** Each list of new rows has its own plan. Prisma does not keep these either. */
const hasOwnPlan = /"action":"createMany/;

/**
 * Shares compiled queries among all Prisma clients of the process. A client keeps its own, but each test file has a
 * database and so a client, and compiling takes 5 to 20 ms for a query.
 */
export function shareQueryPlans(): void {
  const plans = new Map<string, unknown>();
  const { compile } = QueryCompiler.prototype;
  QueryCompiler.prototype.compile = function (query) {
    if (hasOwnPlan.test(query)) return compile.call(this, query);
    let plan = plans.get(query);
    if (plan === undefined) {
      plan = compile.call(this, query);
      plans.set(query, plan);
    }
    return plan;
  };
}
