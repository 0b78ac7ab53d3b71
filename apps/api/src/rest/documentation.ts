import type { FastifyInstance } from "fastify";
import { openApiDocument } from "./openapi.ts";
import { referencePage } from "./reference-page.ts";

/** Serves the documentation of the published routes, also where they are retired. */
export function addRestDocumentation(app: FastifyInstance): void {
  app.get("/api/openapi.json", async () => openApiDocument);
  app.get("/api/reference", async (_request, reply) =>
    reply.type("text/html; charset=utf-8").send(referencePage),
  );
}
