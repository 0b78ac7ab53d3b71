import { AppError, type ErrorCode } from "@querybell/domain";

// What an error of the database means to a caller, by its SQLSTATE (ours begin with QB) or Node's code.
const refusals: Record<string, { code: ErrorCode; detail: string }> = {
  QB001: {
    code: "last_owner",
    detail: "This would leave the organization without an owner. Make somebody else an owner first.",
  },
  QB002: { code: "conflict", detail: "The run has ended, or has not begun: it cannot change in this way." },
  QB003: { code: "conflict", detail: "The step has ended: it cannot change any more." },
  // unique_violation: what a use case looks for before it writes was written by somebody else since.
  "23505": {
    code: "conflict",
    detail: "Somebody did the same at this very moment. Nothing was changed; look again, then try again.",
  },
};

const unavailable = {
  code: "unavailable",
  detail: "The database does not answer at the moment. Nothing was changed; try again shortly.",
} as const;
const unavailableCodes =
  /^(ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENOTFOUND|08\d{3}|57P0\d|53300|P1001|P1017|P2024|P2028)$/;

/** The refusal that an error means, or undefined: then it is a bug. */
export function asRefusal(error: unknown): AppError | undefined {
  if (error instanceof AppError) return error;
  for (const code of codesIn(error)) {
    const refusal = refusals[code] ?? (unavailableCodes.test(code) ? unavailable : undefined);
    if (refusal) return new AppError(refusal.code, refusal.detail, { cause: error });
  }
  return undefined;
}

/** The codes of an error and of the causes that `pg` and Prisma have wrapped into it. */
function* codesIn(error: unknown): Generator<string> {
  if (typeof error !== "object" || error === null) return;
  for (const key of ["code", "originalCode"]) {
    const code: unknown = Reflect.get(error, key);
    if (typeof code === "string") yield code;
  }
  for (const key of ["cause", "meta", "driverAdapterError"]) yield* codesIn(Reflect.get(error, key));
}
