import type { FastifyInstance } from "fastify";
import type { CreateContext } from "../trpc/context.ts";
import { createCaller } from "../trpc/router.ts";

/** `GET /api/key`: the organization, user and scopes of the API key. */
export function addKeyRoute(app: FastifyInstance, createContext: CreateContext): void {
  app.get("/api/key", async (request) => createCaller(await createContext(request)).keys.describe());
}
