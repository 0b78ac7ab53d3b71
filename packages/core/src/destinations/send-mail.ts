import type { Clock } from "@querybell/domain";
import {
  type AttemptResult,
  attemptWithoutRequest,
  type Outcome,
  toConnectionFailure,
} from "@querybell/webhooks";

/** A mail to one destination. */
export interface DestinationMail {
  /** The same for each attempt, so that mail programs recognize a mail that arrives twice. */
  messageId: string;
  to: string[];
  subject: string;
  text: string;
  html: string;
  attachments: { filename: string; contentType: string; content: Uint8Array; cid?: string }[];
  /** Whether it is a mail to one of many people, whose address rows of data name. */
  isToOne?: boolean;
}

/** Sends a mail. Resolves with the answer of the mail server; rejects if it accepts it for nobody. */
export type SendMail = (mail: DestinationMail) => Promise<string>;

/** One attempt to send a mail, with the code of the mail server in place of a status of HTTP. */
export async function attemptMail(
  { clock, sendMail }: { clock: Clock; sendMail: SendMail },
  mail: DestinationMail,
): Promise<AttemptResult> {
  const startedAt = clock.now();
  const startedMs = performance.now();
  const { outcome, answer } = await sendMail(mail).then(
    (sent) => ({ outcome: { kind: "success", status: toStatus(sent) ?? 250 } as Outcome, answer: sent }),
    (error: unknown) => ({
      outcome: mail.isToOne && isRefusedAddress(error) ? refusedRecipient : toFailure(error),
      answer: error instanceof Error ? error.message : "",
    }),
  );
  const total = performance.now() - startedMs;
  const attempt = attemptWithoutRequest(outcome, startedAt);
  const body = Buffer.from(answer).subarray(0, 4_096);
  return {
    ...attempt,
    timings: { ...attempt.timings, total },
    response:
      "status" in outcome
        ? { status: outcome.status, headers: {}, body, bodyBytes: body.length, bodyEnd: "complete" }
        : undefined,
  };
}

/**
 * Whether the mail server refuses the address for good, as it does for people who have left. Anything else can be about the
 * sender or the server, and is tried again: 5.7.1 is a policy, 5.1.0, 5.1.7 and 5.1.8 can mean the sender.
 */
const isRefusedAddress = (error: unknown): boolean =>
  error instanceof Error &&
  "command" in error &&
  error.command === "RCPT TO" &&
  "response" in error &&
  /^55[013][ -]5\.1\.(?:[1-46]|10)\b/.test(String(error.response));

const refusedRecipient: Outcome = {
  kind: "refused_recipient",
  message: "The mail server refuses this address. It is not tried again.",
};

const toStatus = (answer: string): number | undefined => {
  const [, code] = /^(\d{3})\b/.exec(answer) ?? [];
  return code === undefined ? undefined : Number(code);
};

function toFailure(error: unknown): Outcome {
  if (error instanceof Error && "responseCode" in error && typeof error.responseCode === "number") {
    return { kind: "status", status: error.responseCode };
  }
  return toConnectionFailure(error, "connect");
}
