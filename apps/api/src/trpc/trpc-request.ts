import type { AnyTRPCProcedure } from "@trpc/server";
import { z } from "zod";
import { appRouter } from "./router.ts";

export interface TrpcRoute {
  Params: { path: string };
  Querystring: Record<string, unknown>;
}

const Procedures = z.record(
  z.string(),
  z.custom<AnyTRPCProcedure>((value) => typeof value === "function" && "_def" in value),
);

/** Whether a procedure is a query, a mutation or a subscription. */
export const typesByPath = new Map(
  Object.entries(Procedures.parse(appRouter._def.procedures)).map(([path, { _def }]) => [path, _def.type]),
);

/** Undefined for what is not JSON. */
export function parseJson(text: unknown): unknown {
  try {
    return typeof text === "string" ? JSON.parse(text) : undefined;
  } catch {
    return undefined;
  }
}
