import { refusalOf } from "@querybell/client";

/** Something that did not work, in words for the person in front of the page. */
export class Failure extends Error {
  override readonly name = "Failure";
  /** The stable code behind the words, when the server gave one. */
  readonly code: string | undefined;

  constructor(message: string, code?: string) {
    super(message);
    this.code = code;
  }
}

export const unreachable = "Querybell cannot be reached. Check that it is running, then try again.";

/** Any error of a call as words to show. */
export function asFailure(error: unknown): Failure {
  if (error instanceof Failure) return error;
  const refusal = refusalOf(error);
  return refusal ? new Failure(refusal.message, refusal.reason) : new Failure(unreachable);
}
