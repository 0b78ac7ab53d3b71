import { AppError } from "@querybell/domain";
import type { FastifyRequest } from "fastify";
import { streamedBody } from "../http/refused-body.ts";
import { bodyTooLarge, decodeBody, maxBodyBytes, mediaTypeOf } from "../http/request-body.ts";

/** Whether a route takes a body. Where it is optional, an absent or empty one counts as `{}`. */
export type BodyRule = "none" | "optional" | "required";

/** Reads the body of a request as JSON. Undefined where the route takes none. */
export async function readBody(request: FastifyRequest, rule: BodyRule): Promise<unknown> {
  const bytes = await readBytes(request);
  if (rule !== "none") return readJson(bytes, request, rule);
  if (bytes.length === 0) return undefined;
  throw new AppError("invalid_request", "This route takes no body. Send the request without one.");
}

/** Reads the whole body. Empty if the request has none. */
async function readBytes(request: FastifyRequest): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of streamedBody(request)) {
    bytes += chunk.length;
    if (bytes > maxBodyBytes) throw bodyTooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
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
