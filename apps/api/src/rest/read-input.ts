import type { Readable } from "node:stream";
import { AppError } from "@querybell/domain";
import type { FastifyRequest } from "fastify";
import type { z } from "zod";
import { bodyTooLarge, maxBodyBytes } from "../http/body-limit.ts";
import { decodeBody, mediaTypeOf } from "../http/body-text.ts";
import { invalidInput } from "../trpc/error-shape.ts";
import type { RestRoute } from "./routes.ts";

/**
 * Reads the input of a route's procedure; throws an AppError if the request is invalid. tRPC calls this after the
 * rate and the scope are checked. The body is not read before that.
 */
export async function readInput(
  { request: schemas, toInput }: RestRoute,
  request: FastifyRequest,
): Promise<unknown> {
  const bytes = await readBytes(request);
  if (!schemas.body && bytes.length > 0) {
    throw new AppError("invalid_request", "This route takes no body. Send the request without one.");
  }
  return toInput({
    path: read(schemas.path, request.params),
    query: read(schemas.query, request.query),
    body: read(schemas.body, schemas.body && readJson(bytes, request, schemas.bodyIsOptional ?? false)),
  });
}

/** Reads the whole body, which Fastify passes as a stream. Empty if the request has none. */
async function readBytes({ body }: FastifyRequest): Promise<Buffer> {
  if (body === undefined || body === null) return Buffer.alloc(0);
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body as Readable) {
    bytes += chunk.length;
    if (bytes > maxBodyBytes) throw bodyTooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Returns `never`, since `route()` has checked that `toInput` accepts the output of these schemas. */
function read(schema: z.ZodObject | undefined, value: unknown): never {
  const { data, error } = schema?.safeParse(value) ?? {};
  if (error) throw invalidInput(error);
  return data as never;
}

function readJson(bytes: Buffer, { headers }: FastifyRequest, optional: boolean): unknown {
  const contentType = headers["content-type"] ?? "application/json";
  const text = decodeBody(bytes, contentType);
  if (text.trim() === "") {
    if (optional) return {};
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
