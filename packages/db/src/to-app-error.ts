import { AppError, type ErrorCode } from "@querybell/domain";

// Database errors that a caller should see, by SQLSTATE (ours begin with QB) or by Node's error code.
const appErrors: Record<string, { code: ErrorCode; detail: string }> = {
  QB001: {
    code: "last_owner",
    detail: "This would leave the organization without an owner. Make somebody else an owner first.",
  },
  QB002: { code: "conflict", detail: "The run has ended, or has not begun: it cannot change in this way." },
  QB003: { code: "conflict", detail: "The step has ended: it cannot change any more." },
  QB004: {
    code: "conflict",
    detail: "A folder cannot be moved into itself or into a folder inside it. Choose another place.",
  },
  QB005: {
    code: "conflict",
    detail: "Folders can be nested 8 levels deep, and this would be deeper. Choose a place higher up.",
  },
  QB006: {
    code: "conflict",
    detail: "An organization can have 1,000 folders, and this one has them. Delete some first.",
  },
  QB007: {
    code: "conflict",
    detail: "You have 200 favourites, and cannot have more. Remove one first.",
  },
  QB008: {
    code: "forbidden",
    detail: "You may run saved queries on this database, but not write SQL. Ask an admin for the right.",
  },
  QB009: {
    code: "forbidden",
    detail:
      "You may see this, but not change it or what is in its place. Ask an admin for the right to edit.",
  },
  QB010: {
    code: "forbidden",
    detail: "This account is disabled. Ask the operator of this installation.",
  },
  // unique_violation: a concurrent transaction wrote the same row after the use case had checked for it.
  "23505": {
    code: "conflict",
    detail: "Somebody did the same at this very moment. Nothing was changed; look again, then try again.",
  },
};

// If the connection breaks while a transaction commits, nobody knows whether it has committed.
const unavailable = {
  code: "unavailable",
  detail: "The database does not answer at the moment. Look whether the change was made, then try again.",
} as const;
const unavailableCodes =
  /^(ECONNREFUSED|ECONNRESET|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|EPIPE|08\w{3}|28\w{3}|57P0\d|53300|P1001|P1017|P2024|P2028)$/;
/** Errors of `pg` and of Prisma's adapter about connections that have no code. */
const unavailableMessages =
  /^(ConnectionClosed$|DatabaseNotReachable$|SocketTimeout$|Connection terminated|Client has encountered a connection error|Client was closed|timeout exceeded when trying to connect|timeout expired)/;

const readOnly = {
  code: "unavailable",
  detail:
    "The database is read-only at the moment. Nothing was changed. Ask the operator of this installation, or try again later.",
} as const;
const readOnlyCode = "25006";
/** What a standby says to a function that needs the position of its own log. */
const readOnlyMessage = "recovery is in progress";

const diskFull = {
  code: "unavailable",
  detail:
    "There is no room left on the disk of the database. Nothing was changed. Ask the operator of this installation to make room, then try again.",
} as const;
const diskFullCode = "53100";

/** Converts a database error that a caller can cause to an AppError. Undefined for any other error, which is a bug. */
export function toAppError(error: unknown): AppError | undefined {
  if (error instanceof AppError) return error;
  for (const code of codesIn(error)) {
    const known = appErrors[code] ?? toUnavailable(code);
    if (known) return new AppError(known.code, known.detail, { cause: error });
  }
  return undefined;
}

function toUnavailable(code: string) {
  if (code === diskFullCode) return diskFull;
  if (code === readOnlyCode || code === readOnlyMessage) return readOnly;
  return unavailableCodes.test(code) || unavailableMessages.test(code) ? unavailable : undefined;
}

/** The codes and messages of an error and of the causes that `pg` and Prisma have wrapped into it. */
export function* codesIn(error: unknown): Generator<string> {
  if (typeof error !== "object" || error === null) return;
  for (const key of ["code", "originalCode", "message", "originalMessage"]) {
    const code: unknown = Reflect.get(error, key);
    if (typeof code === "string") yield code;
  }
  for (const key of ["cause", "meta", "driverAdapterError"]) yield* codesIn(Reflect.get(error, key));
}
