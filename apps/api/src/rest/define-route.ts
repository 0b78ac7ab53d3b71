import type { Deps } from "@querybell/core";
import {
  AppError,
  type Caller,
  type ErrorCode,
  inputMessages,
  type ResultInfo,
  type Scope,
} from "@querybell/domain";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { z } from "zod";
import { abortedWhenClosed } from "../http/connections.ts";
import { decodeBody, mediaTypeOf, readWholeBody } from "../http/request-body.ts";
import {
  type Context,
  inRequestSlot,
  limitRate,
  type OrganizationAccess,
  requireMember,
} from "../trpc/context.ts";
import { invalidInput, refuseMalformedInput } from "../trpc/input-checks.ts";

/** The schemas of the path, the query string and the body. */
interface RequestSchemas<Path, Query, Body> {
  path: Path;
  query: Query;
  body: Body;
  bodyRule: BodyRule;
}

interface Description {
  method: "GET" | "POST" | "PUT" | "DELETE";
  path: string;
  summary: string;
  /** The tRPC procedure that does the same, with the same scope. */
  procedure: string;
  /** The lowest role of the key's owner, and the scope that the key needs. */
  access: OrganizationAccess;
  scope: Scope;
  status: 200 | 201;
  /** The published shape of the answer. */
  response: z.ZodType;
  /** Its error codes, besides those that follow from the other fields. */
  errors?: ErrorCode[];
}

/** `stored result`: the answer is the JSON of a result, whose bytes are sent as they are stored. */
type RestAnswer = { kind: "json"; body: unknown } | { kind: "stored result"; info: ResultInfo };

export interface RestRoute extends Description {
  request: RequestSchemas<z.ZodObject, z.ZodObject, z.ZodType>;
  /** Answers the request of this reply. */
  answer(context: Context, reply: FastifyReply): Promise<RestAnswer>;
}

interface Row<Path extends z.ZodObject, Query extends z.ZodObject, Body extends z.ZodType, Output>
  extends Description {
  request: RequestSchemas<Path, Query, Body>;
  /** Calls the use case. */
  run(
    deps: Deps,
    caller: Caller,
    request: { path: z.output<Path>; query: z.output<Query>; body: z.output<Body> },
  ): Promise<Output>;
}

/** A route that answers with what the use case returns, in the published shape. */
export const jsonRoute = <Path extends z.ZodObject, Query extends z.ZodObject, Body extends z.ZodType>(
  row: Row<Path, Query, Body, unknown>,
): RestRoute => ({
  ...row,
  answer: async (context, reply) => {
    const output = await call(row, context, reply);
    return { kind: "json", body: row.response.parse(output) };
  },
});

/** A route that answers with a stored result. */
export const resultRoute = <Path extends z.ZodObject, Query extends z.ZodObject, Body extends z.ZodType>(
  row: Row<Path, Query, Body, ResultInfo>,
): RestRoute => ({
  ...row,
  answer: async (context, reply) => ({
    kind: "stored result",
    info: await call(row, context, reply),
  }),
});

/**
 * Checks rate and scope, then reads the request: the body is not read before that. Then calls the use case in a request
 * slot, which a body that arrives slowly does not hold.
 */
async function call<Path extends z.ZodObject, Query extends z.ZodObject, Body extends z.ZodType, Output>(
  { access, scope, request: schemas, run }: Row<Path, Query, Body, Output>,
  context: Context,
  reply: FastifyReply,
): Promise<Output> {
  limitRate(context);
  const caller = requireMember(context, { access, scope });
  const { request } = reply;
  const body = await readBody(request, schemas.bodyRule);
  const input = {
    path: parsePart(schemas.path, request.params),
    query: parsePart(schemas.query, request.query),
    body: parsePart(schemas.body, body),
  };
  return inRequestSlot(context, abortedWhenClosed(reply), () => run(context.deps, caller, input));
}

function parsePart<Schema extends z.ZodType>(schema: Schema, part: unknown): z.output<Schema> {
  const { data, error } = schema.safeParse(part, inputMessages);
  if (error) throw invalidInput(error);
  refuseMalformedInput(data);
  return data;
}

/** Whether a route takes a body. Where it is optional, an absent or empty one counts as `{}`. */
type BodyRule = "none" | "optional" | "required";

/** Reads the body of a request as JSON. Undefined where the route takes none. */
async function readBody(request: FastifyRequest, rule: BodyRule): Promise<unknown> {
  const bytes = await readWholeBody(request);
  if (rule !== "none") return readJson(bytes, request, rule);
  if (bytes.length === 0) return undefined;
  throw new AppError("invalid_request", "This route takes no body. Send the request without one.");
}

function readJson(bytes: Buffer, { headers }: FastifyRequest, rule: BodyRule): unknown {
  const contentType = headers["content-type"] ?? "application/json";
  const text = decodeBody(bytes, contentType);
  if (text.trim() === "") {
    if (rule === "optional") return {};
    throw new AppError("invalid_request", "A JSON body is required.");
  }
  if (mediaTypeOf(contentType) !== "application/json") {
    throw new AppError("unsupported_media_type", "Send the body as application/json.");
  }
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new AppError("invalid_request", "The body is not valid JSON.", { cause });
  }
}
