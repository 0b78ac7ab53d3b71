import { errorCodes } from "@querybell/domain";
import { z } from "zod";
import { procedures } from "../../api-reference/procedures.ts";
import { commonErrors } from "../../trpc/documented-errors.ts";
import type { HttpAnswer } from "./send-call.ts";

const Fields = z.array(z.object({ path: z.string(), message: z.string().min(1) })).optional();

/** An error of a route beside tRPC. */
const Problem = z.object({
  type: z.literal("about:blank"),
  title: z.string().min(1),
  status: z.number(),
  detail: z.string(),
  code: z.enum(Object.keys(errorCodes)),
  errors: Fields,
});

/** An error of tRPC. */
const TrpcError = z.object({
  error: z.object({
    message: z.string(),
    code: z.number(),
    data: z.object({
      code: z.string(),
      httpStatus: z.number(),
      reason: z.enum(Object.keys(errorCodes)),
      path: z.string().optional(),
      errors: Fields,
    }),
  }),
});

// Mutations that answer nothing have no data.
const TrpcResult = z.object({ result: z.object({ data: z.unknown().optional() }) });

const statusByCode = new Map<string, number>(
  Object.entries(errorCodes).map(([code, { status }]) => [code, status]),
);

// Names of our code and its libraries. An answer must not contain them.
const internals =
  /node_modules|\bat \S+ \(|\.ts:\d+|PrismaClient|ZodError|TypeError|SQLSTATE|\[object Object\]|ECONN|Cannot read prop|is not a function|violates .* constraint/;

/** What is wrong with an answer, whatever was asked. */
export function findProblems(answer: HttpAnswer, { method }: { method: string }): string[] {
  const { status, text, headers } = answer;
  if (status >= 500) return [`status ${status}: ${text.slice(0, 500)}`];
  const type = String(headers["content-type"] ?? "");
  if (type.includes("event-stream") || type.includes("jsonl")) {
    return /"httpStatus":5\d\d/.test(text) ? [`an error of 5xx in a stream: ${text.slice(0, 500)}`] : [];
  }
  // These have no body.
  if (method === "HEAD" || status === 204 || status === 304) return [];
  if (status < 400 && !type.includes("json")) return [];
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return [`status ${status} without JSON: ${text.slice(0, 200)}`];
  }
  if (status < 400 && status !== 207) return [];
  return (Array.isArray(json) ? json : [json]).flatMap((one) => findErrorProblems(one, status));
}

function findErrorProblems(json: unknown, status: number): string[] {
  // In a batch, some calls succeed.
  if (TrpcResult.safeParse(json).success) return [];
  const problem = Problem.safeParse(json);
  if (problem.success) {
    const { detail, code } = problem.data;
    return [
      ...findSentenceProblems(detail),
      ...(problem.data.status === status && statusByCode.get(code) === status
        ? []
        : [`${code} has the status ${status}, and says ${problem.data.status}`]),
    ];
  }
  const { data, error } = TrpcError.safeParse(json);
  if (!data)
    return [`an error in no published shape: ${JSON.stringify(json).slice(0, 300)} (${error.message})`];
  const { message, data: detail } = data.error;
  return [
    ...findSentenceProblems(message),
    ...(statusByCode.get(detail.reason) === detail.httpStatus
      ? []
      : [`${detail.reason} says ${detail.httpStatus}`]),
    ...(detail.httpStatus < 500 ? [] : [`${detail.reason} in a batch`]),
    ...findReasonProblems(detail.path, detail.reason),
  ];
}

function findReasonProblems(path: string | undefined, reason: string): string[] {
  const procedure = procedures.find((one) => one.path === path);
  if (!procedure || reason in commonErrors || reason in procedure.errors) return [];
  return [`${path} refuses with ${reason}, which its reference does not list`];
}

function findSentenceProblems(sentence: string): string[] {
  if (!/\S \S/.test(sentence)) return [`an error without a sentence: ${JSON.stringify(sentence)}`];
  if (internals.test(sentence)) return [`an error that shows internals: ${JSON.stringify(sentence)}`];
  return [];
}
