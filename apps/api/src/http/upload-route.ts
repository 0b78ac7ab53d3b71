import type { Readable } from "node:stream";
import { receiveUpload } from "@querybell/core/uploads";
import { AppError, formatOf, SendUpload, type UploadFormat } from "@querybell/domain";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { CreateContext } from "../trpc/context.ts";
import { invalidInput } from "../trpc/error-shape.ts";
import { createCaller } from "../trpc/router.ts";
import { mediaTypeOf } from "./request-body.ts";

const lingerMs = 2_000;

declare module "fastify" {
  interface FastifyContextConfig {
    /** Its body is a file, which may take long to arrive. */
    receivesFile?: boolean;
  }
}

/**
 * `POST /api/uploads?name=sales.csv`: the body is the file, which is stored as it comes. With `table`, it is imported at
 * once, and is gone if that fails.
 */
export async function addUploadRoute(app: FastifyInstance, createContext: CreateContext): Promise<void> {
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    // Programs send files with all kinds of content types, or with none.
    scope.addContentTypeParser("*", (_request, payload, done) => done(null, payload));
    scope.addHook("onRequest", (request, reply, done) => {
      reply.raw.once("close", cutOff(request));
      done();
    });
    scope.post("/api/uploads", { config: { receivesFile: true } }, async (request, reply) => {
      const context = await createContext(request);
      const caller = createCaller(context);
      // The procedure has the same access checks and limits.
      await caller.uploads.overview();
      if (!context.caller) throw new AppError("unauthorized", "Sign in, or send an API key.");
      const { name, table, mode = "create", ...options } = readParameters(request);
      const format = options.format ?? formatByName(name);
      refuseForm(request);
      const upload = await receiveUpload(context.deps, context.caller, {
        fileName: name,
        format,
        announcedBytes: announcedBytes(request),
        content: contentOf(request),
      });
      reply.code(201);
      if (table === undefined) return upload;
      try {
        return await caller.uploads.import({ id: upload.id, table, mode });
      } catch (error) {
        // Discarded already if the import succeeded and only its answer was lost.
        await caller.uploads.discard({ id: upload.id }).catch(() => {});
        throw error;
      }
    });
  });
}

/** Who is refused and goes on sending is cut off, after the time to read the answer. */
function cutOff({ raw }: FastifyRequest): () => void {
  // Node takes the socket away from a request whose body is not read to its end.
  const { socket } = raw;
  return () => {
    if (raw.complete) return;
    const timer = setTimeout(() => raw.complete || socket.destroy(), lingerMs);
    socket.once("close", () => clearTimeout(timer));
  };
}

function readParameters({ query }: FastifyRequest): SendUpload {
  const { data, error } = SendUpload.safeParse(query);
  if (error) throw invalidInput(error);
  return data;
}

function formatByName(name: string): UploadFormat {
  const format = formatOf(name);
  if (format) return format;
  throw new AppError(
    "unsupported_media_type",
    "The name must end in .csv, .tsv, .jsonl, .ndjson or .parquet, or the parameter format must be csv, json_lines or parquet.",
  );
}

/** What a form sends is not the file: it has other parts around it. */
function refuseForm({ headers }: FastifyRequest): void {
  if (mediaTypeOf(headers["content-type"] ?? "")?.startsWith("multipart/")) {
    throw new AppError(
      "unsupported_media_type",
      "Send the file itself as the body, not in a form. With curl: -X POST -T sales.csv.",
    );
  }
}

function announcedBytes({ headers }: FastifyRequest): number | undefined {
  const length = headers["content-length"];
  return length === undefined ? undefined : Number(length);
}

const contentOf = ({ body }: FastifyRequest): AsyncIterable<Uint8Array> =>
  (body as Readable | undefined) ?? (async function* () {})();
