import type { Readable } from "node:stream";
import { MIMEType } from "node:util";
import { AppError } from "@querybell/domain";
import type { FastifyInstance, FastifyRequest } from "fastify";

export const maxBodyBytes = 1024 * 1024;

export const bodyTooLarge = (): AppError =>
  new AppError(
    "payload_too_large",
    "This is more than the 1 MiB that a request may have. Send less at once.",
  );

/**
 * Decodes a request's body. Throws if the charset or the bytes are not UTF-8: a lenient decoder would silently
 * replace characters.
 */
export function decodeBody(bytes: Uint8Array, contentType: string | undefined): string {
  const charset = charsetOf(contentType);
  if (charset !== "utf-8" && charset !== "utf8") {
    throw new AppError("invalid_request", "The body's charset is not UTF-8. Send the body as UTF-8.");
  }
  try {
    // A byte order mark is kept, so that the JSON parser rejects it.
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new AppError("invalid_request", "The body is not valid UTF-8. Send the body as UTF-8.", { cause });
  }
}

/** The media type without its parameters, in lower case; undefined if the header is invalid. */
export const mediaTypeOf = (contentType: string): string | undefined => parse(contentType)?.essence;

const charsetOf = (contentType = ""): string =>
  parse(contentType)?.params.get("charset")?.toLowerCase() ?? "utf-8";

function parse(contentType: string): MIMEType | undefined {
  try {
    return new MIMEType(contentType);
  } catch {
    return undefined;
  }
}

/** Accepts only bodies that are JSON in UTF-8. */
export function addJsonParser(app: FastifyInstance): void {
  const parseJson = app.getDefaultJsonParser("error", "error");
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, (request, body: Buffer, done) => {
    try {
      parseJson(request, decodeBody(body, request.headers["content-type"]), done);
    } catch (error) {
      done(error as Error);
    }
  });
}

const lingerMs = 2_000;

/**
 * For routes that read the body as a stream: after a refusal the rest of it is read and thrown away, because the client
 * may use the connection again. One that keeps sending for longer than `lingerMs` is cut off.
 */
export function discardRefusedBodies(scope: FastifyInstance): void {
  scope.addHook("onRequest", ({ raw }, reply, done) => {
    // Node takes the socket away from a request whose body is not read to its end.
    const { socket } = raw;
    reply.raw.once("close", () => {
      if (raw.complete) return;
      raw.resume();
      setTimeout(() => raw.complete || socket.destroy(), lingerMs).unref();
    });
    done();
  });
}

/** Reads the whole body of a request that Fastify passes as a stream. Empty if the request has none. */
export async function readWholeBody(request: FastifyRequest): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of streamedBody(request)) {
    bytes += chunk.length;
    if (bytes > maxBodyBytes) throw bodyTooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/**
 * A body that Fastify passes as a stream. The connection stays open if the reader stops early, for the
 * answer.
 */
export const streamedBody = ({ body }: FastifyRequest): AsyncIterable<Buffer> =>
  (body as Readable | undefined)?.iterator({ destroyOnReturn: false }) ?? (async function* () {})();
