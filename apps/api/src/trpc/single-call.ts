import { callTRPCProcedure, getTRPCErrorFromUnknown, getTRPCErrorShape, type TRPCError } from "@trpc/server";
import type { FastifyReply, FastifyRequest } from "fastify";
import { abortedWhenClosed } from "../http/connections.ts";
import type { Context, CreateContext } from "./context.ts";
import { errorData, toAppErrorOrInternal } from "./error-shape.ts";
import { appRouter, proceduresByPath } from "./router.ts";

export interface TrpcRoute {
  Params: { path: string };
  Querystring: Record<string, unknown>;
}

/** Whether a procedure is a query, a mutation or a subscription; undefined if there is none. */
export const typeOf = (path: string) => proceduresByPath.get(path)?._def.type;

/** Undefined for what is not JSON. */
export function parseJson(text: unknown): unknown {
  try {
    return typeof text === "string" ? JSON.parse(text) : undefined;
  } catch {
    return undefined;
  }
}

/** One call of a query or mutation, as most requests have it. */
interface SingleCall {
  path: string;
  type: "query" | "mutation";
  input: unknown;
  /** Whether the client expects a list with the one answer. */
  isBatch: boolean;
}

const methods = { query: "GET", mutation: "POST" };

/**
 * Reads a request with one call. Undefined for everything else, which is left to tRPC's own handler: several calls,
 * streams, and every request that is wrong, so that errors before a call come from one place.
 */
export function readSingleCall({
  params,
  query,
  headers,
  method,
  body,
}: FastifyRequest<TrpcRoute>): SingleCall | undefined {
  const { path } = params;
  const type = typeOf(path);
  if (!type || type === "subscription" || method !== methods[type]) return undefined;
  if (headers["trpc-accept"] !== undefined || headers.accept?.includes("jsonl")) return undefined;
  const isBatch = query.batch === "1";
  if (!isBatch && query.batch !== undefined) return undefined;
  if (type === "query" && query.input === undefined) return { path, type, input: undefined, isBatch };
  const json = parseJson(type === "query" ? query.input : body);
  if (json === undefined) return undefined;
  if (!isBatch) return { path, type, input: json, isBatch };
  const isRecord = typeof json === "object" && json !== null && !Array.isArray(json);
  return isRecord ? { path, type, input: Reflect.get(json, "0"), isBatch } : undefined;
}

export interface AnswerOptions {
  createContext: CreateContext;
  onError: (error: TRPCError) => void;
  /** Headers for these errors. */
  headersFor: (errors: TRPCError[]) => Record<string, string>;
}

/** Makes the call and answers it as tRPC does, without its objects for streams, fetch requests and responses. */
export async function answerSingleCall(
  request: FastifyRequest,
  reply: FastifyReply,
  { call, createContext, onError, headersFor }: AnswerOptions & { call: SingleCall },
): Promise<FastifyReply> {
  const { path, type, input, isBatch } = call;
  reply.header("vary", "trpc-accept, accept").header("content-type", "application/json");
  let ctx: Context | undefined;
  try {
    ctx = await createContext(request, reply);
    const data = await callTRPCProcedure({
      router: appRouter,
      path,
      type,
      ctx,
      getRawInput: async () => input,
      signal: abortedWhenClosed(reply),
      batchIndex: 0,
    });
    const answer = { result: { data } };
    return reply.send(JSON.stringify(isBatch ? [answer] : answer));
  } catch (cause) {
    const error = getTRPCErrorFromUnknown(cause);
    onError(error);
    const config = appRouter._def._config;
    const answer = { error: getTRPCErrorShape({ config, error, type, path, input, ctx }) };
    const { httpStatus } = errorData(toAppErrorOrInternal(error));
    reply.code(httpStatus).headers(headersFor([error]));
    return reply.send(JSON.stringify(isBatch ? [answer] : answer));
  }
}
