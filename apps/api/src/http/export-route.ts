import { openExport } from "@querybell/core/exports";
import { AppError, Id } from "@querybell/domain";
import type { FastifyInstance } from "fastify";
import { type CreateContext, inRequestSlot, limitRate, requireMember } from "../trpc/context.ts";
import { abortedWhenClosed } from "./connections.ts";

/** `/api/exports/<id>` sends the file with everything of an organization, to owners with a session. */
export function addExportRoute(app: FastifyInstance, createContext: CreateContext): void {
  app.get<{ Params: { id: string } }>(
    "/api/exports/:id",
    { exposeHeadRoute: false },
    async (request, reply) => {
      const context = await createContext(request);
      limitRate(context);
      const opened = await inRequestSlot(context, abortedWhenClosed(reply), () => {
        const caller = requireMember(context, { access: "member", scope: undefined });
        const { data: id } = Id.safeParse(request.params.id);
        if (!id) throw new AppError("invalid_request", "The id of an export is a UUID.");
        return openExport(context.deps, caller, { id });
      });
      return reply
        .header("content-disposition", `attachment; filename="${opened.fileName}"`)
        .header("content-length", opened.bytes)
        .header("cache-control", "no-store")
        .type("application/gzip")
        .send(opened.content);
    },
  );
}
