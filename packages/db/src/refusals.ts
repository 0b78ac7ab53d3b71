import { AppError, type ErrorCode } from "@querybell/domain";

// The errors that our triggers raise, by their SQLSTATE.
const refusals: Record<string, { code: ErrorCode; detail: string }> = {
  QB001: {
    code: "last_owner",
    detail: "This would leave the organization without an owner. Make somebody else an owner first.",
  },
};

/** The refusal that an error of the database means, or the error itself. */
export function asRefusal(error: unknown): unknown {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const refusal = refusals[sqlState(cause) ?? ""];
    if (refusal) return new AppError(refusal.code, refusal.detail, { cause: error });
  }
  return error;
}

/** The SQLSTATE of an error from `pg`, or of one that Prisma has wrapped. */
function sqlState(error: Error): string | undefined {
  const { code, cause } = error as { code?: unknown; cause?: unknown };
  if (typeof code === "string" && code in refusals) return code;
  const wrapped = (cause as { originalCode?: unknown } | undefined)?.originalCode;
  return typeof wrapped === "string" ? wrapped : undefined;
}
