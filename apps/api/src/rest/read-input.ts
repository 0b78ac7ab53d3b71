import { AppError } from "@querybell/domain";
import type { FastifyRequest } from "fastify";
import type { z } from "zod";
import { invalidInput } from "../trpc/error-shape.ts";
import type { RestRoute } from "./routes.ts";

/** The input of a route's procedure, or the refusal that says what is wrong with the request. */
export function readInput({ request: schemas, toInput }: RestRoute, request: FastifyRequest): unknown {
  if (!schemas.body && hasBody(request)) {
    throw new AppError("invalid_request", "This route takes no body. Send the request without one.");
  }
  return toInput({
    path: read(schemas.path, request.params),
    query: read(schemas.query, request.query),
    body: read(schemas.body, schemas.body && readBody(request, schemas.bodyIsOptional ?? false)),
  });
}

/** Never: `toInput` was held to the types of these very schemas where the route is written. */
function read(schema: z.ZodObject | undefined, value: unknown): never {
  const { data, error } = schema?.safeParse(value) ?? {};
  if (error) throw invalidInput(error);
  return data as never;
}

const hasBody = ({ body }: FastifyRequest): boolean => Buffer.isBuffer(body) && body.length > 0;

function readBody({ body, headers }: FastifyRequest, optional: boolean): unknown {
  const text = Buffer.isBuffer(body) ? body.toString() : "";
  if (text.trim() === "") {
    if (optional) return {};
    throw new AppError("invalid_request", "A JSON body is required.");
  }
  const [type = ""] = (headers["content-type"] ?? "application/json").split(";");
  if (type.trim().toLowerCase() !== "application/json") {
    throw new AppError("unsupported_media_type", "Send the body as application/json.");
  }
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new AppError("invalid_request", "The body is not valid JSON.", { cause });
  }
}
