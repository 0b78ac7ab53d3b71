import { drawDashboard } from "@querybell/core/dashboards";
import { drawReferencePicture } from "@querybell/core/references";
import { recordDownload, recordDownloads } from "@querybell/core/results";
import {
  DashboardPictureParameters,
  FilterValues,
  Id,
  inputMessages,
  PictureParameters,
  toDownloadName,
} from "@querybell/domain";
import type { FastifyInstance, FastifyReply } from "fastify";
import type { z } from "zod";
import { type CreateContext, inRequestSlot, limitRate, requireMember } from "../trpc/context.ts";
import { invalidInput } from "../trpc/input-checks.ts";
import { abortedWhenClosed } from "./connections.ts";
import { attachmentNamed } from "./file-name.ts";

const types = { png: "image/png", svg: "image/svg+xml; charset=utf-8" } as const;

/**
 * Serves the picture of a chart: `/api/charts/<short id>/picture.png` and `.svg`. A key needs the scopes for references
 * and for results.
 */
export function addPictureRoutes(app: FastifyInstance, createContext: CreateContext): void {
  const route = (format: "png" | "svg") =>
    app.get<{ Params: { shortId: string } }>(
      `/api/charts/:shortId/picture.${format}`,
      async (request, reply) => {
        const signal = abortedWhenClosed(reply);
        const context = await createContext(request);
        limitRate(context);
        requireMember(context, { access: "viewer", scope: "references:read" });
        const caller = requireMember(context, { access: "viewer", scope: "queries:read" });
        const look = parse(PictureParameters, request.query);
        const { shortId } = request.params;
        const { title, info, bytes } = await inRequestSlot(context, signal, () =>
          drawReferencePicture(context.deps, caller, { ...look, shortId, format, signal }),
        );
        await recordDownload(context.deps, caller, { info, format });
        return sendPicture(reply, {
          format,
          bytes,
          name: toDownloadName(title, info.completedAt, `.${format}`),
        });
      },
    );
  route("png");
  route("svg");
  addDashboardRoute(app, createContext);
}

/** Values of filters stand in the address as on the page: `?p.region=north`. */
const valuePrefix = "p.";

/** Serves the picture of a whole dashboard: `/api/dashboards/<id>/picture.png`. API keys cannot see dashboards. */
function addDashboardRoute(app: FastifyInstance, createContext: CreateContext): void {
  app.get<{ Params: { id: string }; Querystring: Record<string, unknown> }>(
    "/api/dashboards/:id/picture.png",
    async (request, reply) => {
      const signal = abortedWhenClosed(reply);
      const context = await createContext(request);
      limitRate(context);
      const caller = requireMember(context, { access: "viewer", scope: undefined });
      const given = Object.entries(request.query);
      const values = given.filter(([name]) => name.startsWith(valuePrefix));
      const look = parse(
        DashboardPictureParameters,
        Object.fromEntries(given.filter(([name]) => !name.startsWith(valuePrefix))),
      );
      const filterValues = parse(
        FilterValues,
        Object.fromEntries(values.map(([name, text]) => [name.slice(valuePrefix.length), text])),
      );
      const id = parse(Id, request.params.id);
      const { title, at, bytes, results } = await inRequestSlot(context, signal, () =>
        drawDashboard(context.deps, caller, { ...look, id, filterValues, signal }),
      );
      await recordDownloads(context.deps, caller, { infos: results, format: "png" });
      return sendPicture(reply, { format: "png", bytes, name: toDownloadName(title, at, ".png") });
    },
  );
}

function parse<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const { data, error } = schema.safeParse(value, inputMessages);
  if (error) throw invalidInput(error);
  return data;
}

interface SentPicture {
  format: keyof typeof types;
  bytes: Uint8Array;
  name: string;
}

const sendPicture = (reply: FastifyReply, { format, bytes, name }: SentPicture) =>
  reply
    .header("content-disposition", attachmentNamed(name))
    .header("cache-control", "private, no-cache")
    // A file that is opened by itself must not load anything.
    .header("content-security-policy", "default-src 'none'; style-src 'none'; sandbox")
    .type(types[format])
    .send(bytes);
