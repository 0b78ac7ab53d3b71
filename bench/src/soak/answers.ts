import { errorCodes } from "@querybell/domain";
import { z } from "zod";
import { parseJson } from "./parse-json.ts";

export type Answer =
  | { kind: "done"; status: number; data: unknown }
  | { kind: "refused"; status: number; code: string }
  /** The connection broke, or there was no answer in time: the effect is unknown. */
  | { kind: "none" };

interface Request {
  method: "GET" | "POST";
  path: string;
  headers?: Record<string, string>;
  body?: string;
  /** Stops reading after this many bytes, as a client that leaves does. */
  leaveAfterBytes?: number;
}

interface AnswersOptions {
  /** Called with a sentence for every answer that breaks a rule. */
  onWrong: (problem: string) => void;
}

const answerWithinMs = 60_000;
/** What is wrong with one field: `limit: must be at most 100`. */
const fieldError = /^[\w.]+: \S/;
const isSentence = (text: string): boolean => /^[A-Z\d].*[.!?]$/s.test(text) && !/\n\s+at /.test(text);
const TrpcError = z.object({
  error: z.object({ message: z.string(), data: z.object({ reason: z.string(), httpStatus: z.number() }) }),
});
const Problem = z.object({ status: z.number(), detail: z.string(), code: z.string() });

/** Sends requests, checks that every error has a known code and a sentence, and counts the answers. */
export function createAnswers({ onWrong }: AnswersOptions) {
  const counts = new Map<string, number>();
  let calls = 0;
  const count = (kind: string) => counts.set(kind, (counts.get(kind) ?? 0) + 1);

  function checkError(what: string, status: number, text: string): string {
    const json = parseJson(text);
    const trpc = TrpcError.safeParse(json).data?.error;
    const problem = Problem.safeParse(json).data;
    const code = trpc?.data.reason ?? problem?.code ?? "";
    const sentence = trpc?.message ?? problem?.detail ?? "";
    if (!Object.hasOwn(errorCodes, code))
      onWrong(`${what} answered ${status} without a code of ours: ${text}`);
    else if (code === "internal") onWrong(`${what} answered an internal error.`);
    else if (!isSentence(sentence) && !fieldError.test(sentence)) {
      onWrong(`${what} answered ${code} without a sentence: ${JSON.stringify(sentence)}`);
    }
    return code;
  }

  return {
    calls: () => calls,
    counts: (): ReadonlyMap<string, number> => counts,
    /** `mustAnswer`: the process is never killed, so a broken connection is a problem. */
    async send(url: string, request: Request, mustAnswer: boolean): Promise<Answer> {
      const { method, path, headers = {}, body = null, leaveAfterBytes } = request;
      const what = `${method} ${path.split("?")[0]}`;
      calls++;
      try {
        const signal = AbortSignal.timeout(answerWithinMs);
        const response = await fetch(url + path, { method, headers, body, signal, redirect: "manual" });
        if (leaveAfterBytes !== undefined && response.ok) {
          await leave(response, leaveAfterBytes);
          return { kind: "done", status: response.status, data: undefined };
        }
        const text = await response.text();
        if (response.ok) return { kind: "done", status: response.status, data: parseJson(text) ?? text };
        const code = checkError(what, response.status, text);
        count(code);
        return { kind: "refused", status: response.status, code };
      } catch (error) {
        count("no answer");
        if (mustAnswer)
          onWrong(`${what} had no answer of a process that was never killed: ${explain(error)}`);
        return { kind: "none" };
      }
    },
  };
}
export type Answers = ReturnType<typeof createAnswers>;

async function leave(response: Response, afterBytes: number): Promise<void> {
  let bytes = 0;
  // Ending the loop early closes the connection.
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes >= afterBytes) break;
  }
}

const explain = (error: unknown): string =>
  error instanceof Error
    ? `${error.message} ${error.cause instanceof Error ? error.cause.message : ""}`
    : String(error);
