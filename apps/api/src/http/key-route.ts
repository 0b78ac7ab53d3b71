import type { FastifyInstance } from "fastify";
import type { CreateContext } from "../trpc/context.ts";
import { createCaller } from "../trpc/router.ts";

/** `GET /api/key`: which organization, person and scopes the presented key stands for. */
export function addKeyRoute(app: FastifyInstance, createContext: CreateContext): void {
  app.get("/api/key", async (request) => createCaller(await createContext(request)).keys.describe());
}
