import { drawReferencePicture } from "@querybell/core/references";
import { recordDownload } from "@querybell/core/results";
import { inputMessages, PictureParameters } from "@querybell/domain";
import type { FastifyInstance } from "fastify";
import { type CreateContext, inRequestSlot, limitRate, requireMember } from "../trpc/context.ts";
import { invalidInput } from "../trpc/input-checks.ts";
import { abortedWhenClosed } from "./connections.ts";
import { attachmentNamed, toFileName } from "./file-name.ts";

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
        const { data, error } = PictureParameters.safeParse(request.query, inputMessages);
        if (error) throw invalidInput(error);
        const { shortId } = request.params;
        const { title, info, bytes } = await inRequestSlot(context, signal, () =>
          drawReferencePicture(context.deps, caller, { ...data, shortId, format, signal }),
        );
        await recordDownload(context.deps, caller, { info, format });
        return (
          reply
            .header("content-disposition", attachmentNamed(toFileName(title, info.completedAt, `.${format}`)))
            .header("cache-control", "private, no-cache")
            // A file that is opened by itself must not load anything.
            .header("content-security-policy", "default-src 'none'; style-src 'none'; sandbox")
            .type(types[format])
            .send(bytes)
        );
      },
    );
  route("png");
  route("svg");
}
