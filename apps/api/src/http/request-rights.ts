import type { Deps } from "@querybell/core";
import { asSeen, runRequest, setRights } from "@querybell/core/access";
import type { Caller } from "@querybell/domain";
import type { FastifyInstance } from "fastify";
import type { Context } from "../trpc/context.ts";

/**
 * Lets every request begin without rights: until `useRights` is called, its statements see nothing that rights protect.
 * Twice, because the events of a body that is parsed come from outside of the first hook.
 */
export function addRequestRights(app: FastifyInstance): void {
  app.addHook("onRequest", (_request, _reply, done) => runRequest(done));
  app.addHook("preHandler", (_request, _reply, done) => runRequest(done));
}

type Identity = Pick<Context, "person" | "caller">;

/** The same, with the member as whom an admin sees the organization. */
export const seeing = async (deps: Deps, identity: Identity): Promise<Identity> =>
  identity.caller ? { ...identity, caller: await asSeen(deps, identity.caller) } : identity;

/** Gives the rest of this request the rights of its caller. */
export async function useRights({ rights }: Pick<Deps, "rights">, caller: Caller | undefined): Promise<void> {
  if (caller) setRights(await rights.of(caller));
}
