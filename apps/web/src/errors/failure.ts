import { type ApiError, toApiError } from "@querybell/client";
import { TRPCClientError } from "@trpc/client";

/** An error with a message for the user. */
export class Failure extends Error {
  override readonly name = "Failure";
  /** The api's error code, if it answered. */
  readonly code: string | undefined;
  /** What is wrong with the input, field by field. */
  readonly fields: Record<string, string>;
  /** Whether the message says nothing that the fields do not say. */
  readonly repeatsFields: boolean;

  constructor(message: string, code?: string, fields: Record<string, string> = {}, repeatsFields = false) {
    super(message);
    this.code = code;
    this.fields = fields;
    this.repeatsFields = repeatsFields;
  }
}

const unreachable = "Querybell cannot be reached. Check that it is running, then try again.";
const offline =
  "You are offline. Nothing was sent, and what you typed stays here. Try again when you are connected.";

/** The error of a call that was not answered. */
export const createUnanswered = (): Failure =>
  new Failure(navigator.onLine === false ? offline : unreachable);

const broken =
  "This page ran into an error. Reload it; if that does not help, tell the person who runs this Querybell.";

/** Messages for codes whose message from the api does not tell the user what to do. */
const sentences: Record<string, string> = {
  internal:
    "Something went wrong on our side. Try again; if that does not help, tell the person who runs this Querybell.",
  unavailable: "Querybell is busy or starting. Try again in a moment.",
  cursor_expired: "This list is too old to go on. Load it again from the beginning.",
};

/** Converts any error of a call to one that can be shown. */
export function toFailure(error: unknown): Failure {
  if (error instanceof Failure) return error;
  const apiError = toApiError(error);
  if (!apiError) return isUnanswered(error) ? createUnanswered() : new Failure(broken);
  const { reason, message, errors } = apiError;
  const fields = Object.fromEntries(errors.map((one) => [one.path, sentenceOf(one.message)]));
  const isAboutFields = isAboutField(apiError);
  const words = sentences[reason] ?? (isAboutFields ? describeErrors(errors) : message);
  return new Failure(words, reason, fields, isAboutFields || Object.values(fields).includes(message));
}

/** Like `toFailure`, with the paths of the api's input converted to those of a form's fields. */
export function toFormFailure(error: unknown, toFieldPath: (path: string) => string): Failure {
  const { message, code, fields, repeatsFields } = toFailure(error);
  const renamed = Object.entries(fields).map(([path, words]) => [toFieldPath(path), words]);
  return new Failure(message, code, Object.fromEntries(renamed), repeatsFields);
}

/** Whether a call failed without a response of the api: it is down, or a proxy answered instead. */
export const isUnanswered = (error: unknown): boolean =>
  error instanceof TRPCClientError
    ? !toApiError(error)
    : error instanceof Failure && [unreachable, offline].includes(error.message);

/** Whether the message is only the first of the errors, with the name of its field: "maxInFlight: must be …". */
const isAboutField = ({ message, errors: [first] }: ApiError): boolean =>
  first !== undefined && message === `${first.path || "The input"}: ${first.message}`;

/** Writes the errors as sentences: "Max in flight must be at most 256." */
const describeErrors = (errors: ApiError["errors"]): string =>
  errors.map(({ path, message }) => sentenceOf(`${fieldText(path)} ${message}`)).join(" ");

function fieldText(path: string): string {
  const name = path.split(".").findLast((part) => !/^\d+$/.test(part)) ?? "";
  if (name === "") return "What was sent";
  if (name === "sql") return "SQL";
  return name === "url" ? "The URL" : name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

/** "must not be empty" reads as a sentence below a field: "Must not be empty." */
const sentenceOf = (words: string): string =>
  `${words.charAt(0).toUpperCase()}${words.slice(1)}${words.endsWith(".") ? "" : "."}`;
