import type { Deps } from "@querybell/core";
import { runRequest, setRights } from "@querybell/core/access";
import type { Caller } from "@querybell/domain";
import type { FastifyInstance } from "fastify";

/**
 * Lets every request begin without rights: until `useRights` is called, its statements see nothing that rights protect.
 * Twice, because the events of a body that is parsed come from outside of the first hook.
 */
export function addRequestRights(app: FastifyInstance): void {
  app.addHook("onRequest", (_request, _reply, done) => runRequest(done));
  app.addHook("preHandler", (_request, _reply, done) => runRequest(done));
}

/** Gives the rest of this request the rights of its caller. */
export async function useRights({ rights }: Pick<Deps, "rights">, caller: Caller | undefined): Promise<void> {
  if (caller) setRights(await rights.of(caller));
}
