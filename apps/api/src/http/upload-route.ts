import { discardUpload, importUpload, previewUpload, receiveUpload } from "@querybell/core/uploads";
import {
  AppError,
  fileEndings,
  formatOf,
  SendUpload,
  type UploadFormat,
  uploadFormats,
} from "@querybell/domain";
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
 * at once, or previewed with `dryRun`, and not kept.
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
      const { name, format = formatByName(name), table, dryRun, ...choices } = readParameters(request);
      const { mode = "create", key, dateOrder, ...reading } = choices;
      const read = { key, reading, types: {}, dateOrder };
      refuseForm(request);
      const upload = await receiveUpload(deps, caller, {
        fileName: name,
        format,
        announcedBytes: announcedBytes(request),
        content: streamedBody(request),
      });
      reply.code(201);
      if (table === undefined) return upload;
      const options = { id: upload.id, table, ...read };
      try {
        if (dryRun !== "true") return await importUpload(deps, caller, { ...options, mode });
        return await previewUpload(deps, caller, mode === "upsert" ? { ...options, mode } : options);
      } finally {
        // Fails if the file was imported, and so deleted.
        await discardUpload(deps, caller, { id: upload.id }).catch(() => {});
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
    `The name must end in ${fileEndings.join(", ")}, or in one of these and .gz; or the parameter format must be ${uploadFormats.join(", ")}.`,
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
