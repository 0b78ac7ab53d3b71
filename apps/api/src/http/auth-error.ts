import { AppError, type ErrorCode, Password } from "@querybell/domain";

// Messages for users, by the error codes of better-auth, whose own messages are for programmers.
const messages: Record<string, string> = {
  INVALID_EMAIL_OR_PASSWORD: "The email address or the password is wrong.",
  INVALID_EMAIL: "This is not an email address.",
  INVALID_PASSWORD: "The password is wrong.",
  INVALID_TOKEN: "This link has been used already or has expired. Ask for a new one.",
  PASSWORD_TOO_SHORT: `The password must have at least ${Password.minLength} characters.`,
  PASSWORD_TOO_LONG: `The password must have at most ${Password.maxLength} characters.`,
};

const codes: Record<number, ErrorCode> = { 401: "unauthorized", 403: "forbidden", 404: "not_found" };

const defaultMessage = "This was refused. Go back to the start page and try again.";

/** Converts an error response of better-auth to an AppError. */
export async function authToAppError(answer: Response): Promise<AppError> {
  if (answer.status === 429) return tooManyAttempts(answer);
  const { code, message } = await readBody(answer);
  return new AppError(
    codes[answer.status] ?? "invalid_request",
    messages[code ?? ""] ?? message ?? defaultMessage,
  );
}

function tooManyAttempts(answer: Response): AppError {
  const retryAfterSeconds = Number(answer.headers.get("x-retry-after")) || 60;
  return new AppError("rate_limited", `Too many tries. Wait ${retryAfterSeconds} s and try again.`, {
    retryAfterSeconds,
  });
}

async function readBody(answer: Response): Promise<{ code?: string; message?: string }> {
  const body: unknown = await answer.json().catch(() => ({}));
  return typeof body === "object" && body !== null ? body : {};
}
