import type { Field } from "@querybell/domain";

interface ResultBody {
  fields: Field[];
  rows: unknown[][];
}

/** Fetches a stored result, in the published shape. */
export async function readResultBody(url: string): Promise<ResultBody> {
  const answer = await fetch(url, { credentials: "same-origin" });
  const body: unknown = await answer.json().catch(() => undefined);
  if (isResult(body)) return body;
  throw new Error(isProblem(body) ? body.detail : "The result could not be read. Try again.");
}

// Our own api wrote it: only that it is a result and no problem needs looking at, not each of its values.
const isResult = (body: unknown): body is ResultBody =>
  typeof body === "object" && body !== null && "fields" in body && "rows" in body;

const isProblem = (body: unknown): body is { detail: string } =>
  typeof body === "object" && body !== null && "detail" in body && typeof body.detail === "string";
