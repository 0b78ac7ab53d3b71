import { discardUpload, importUpload, receiveUpload } from "@querybell/core/uploads";
import { AppError, formatOf, SendUpload, type UploadFormat } from "@querybell/domain";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { type CreateContext, limitRate, requireMember } from "../trpc/context.ts";
import { invalidInput } from "../trpc/input-checks.ts";
import { discardRefusedBodies, mediaTypeOf, streamedBody } from "./request-body.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** Its body is a file, which may take long to arrive. */
    receivesFile?: boolean;
  }
}

/**
 * `POST /api/uploads?name=sales.csv`: the body is the file, which is stored as it arrives. With `table`, it is imported
 * at once, and deleted if that fails.
 */
export async function addUploadRoute(app: FastifyInstance, createContext: CreateContext): Promise<void> {
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    // Programs send files with all kinds of content types, or with none.
    scope.addContentTypeParser("*", (_request, payload, done) => done(null, payload));
    discardRefusedBodies(scope);
    scope.post("/api/uploads", { config: { receivesFile: true } }, async (request, reply) => {
      const context = await createContext(request);
      limitRate(context);
      const { deps } = context;
      const caller = requireMember(context, { access: "member", scope: "uploads:write" });
      const { name, table, mode = "create", dateOrder, ...options } = readParameters(request);
      const format = options.format ?? formatByName(name);
      refuseForm(request);
      const upload = await receiveUpload(deps, caller, {
        fileName: name,
        format,
        announcedBytes: announcedBytes(request),
        content: streamedBody(request),
      });
      reply.code(201);
      if (table === undefined) return upload;
      try {
        return await importUpload(deps, caller, { id: upload.id, table, mode, types: {}, dateOrder });
      } catch (error) {
        // The file is already deleted if the import has committed.
        await discardUpload(deps, caller, { id: upload.id }).catch(() => {});
        throw error;
      }
    });
  });
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

/** The body of a multipart form is not the file alone. */
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
