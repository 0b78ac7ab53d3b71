import { currentRights, keepRights } from "@querybell/core/access";
import { requireConfirmed } from "@querybell/core/identity";
import { requireWebhooks } from "@querybell/core/webhooks";
import { AppError, inputMessages, isAtLeast, type Scope } from "@querybell/domain";
import { initTRPC } from "@trpc/server";
import { TRPC_ERROR_CODES_BY_KEY } from "@trpc/server/rpc";
import { z } from "zod";
import { type Context, inRequestSlot, limitRate, type OrganizationAccess, requireMember } from "./context.ts";
import type { DocumentedErrors } from "./documented-errors.ts";
import { errorData, toAppErrorOrInternal, toTrpcError } from "./error-shape.ts";
import { refuseMalformedInput } from "./input-checks.ts";
import { type Subscriber, whileAllowed } from "./subscriptions.ts";

/** Who may call a procedure, and the text for its page in the reference. Tests check every procedure against it. */
interface ProcedureMeta {
  access?: Subscriber["access"];
  /** The scope that an API key needs to call it. Without a scope, no key can call it. */
  scope?: Scope;
  /** It waits for an analytical database. Engine slots limit that, so it takes no request slot. */
  waitsForEngine?: boolean;
  /** It handles secrets, keys, deletion or rights: whoever has a second factor presents it first, once in ten minutes. */
  dangerous?: boolean;
  /** For a person: a session of an organization's provider may call it. It must show nothing of other organizations. */
  limited?: boolean;
  /** It changes nothing but the results: also for an admin who sees the organization as somebody else. */
  runsOnly?: boolean;
  /** It fails unless the operator has enabled webhooks for the organization. */
  needsWebhooks?: boolean;
  /** What it does, as markdown. Links are relative to `docs/reference/`. */
  summary?: string;
  errors?: DocumentedErrors;
  /** For a subscription: the schema of each message, by which it is checked. */
  yields?: z.ZodType;
}

const t = initTRPC
  .context<Context>()
  .meta<ProcedureMeta>()
  .create({
    defaultMeta: { access: "public" },
    isDev: false,
    sse: { ping: { enabled: true, intervalMs: 15_000 }, client: { reconnectAfterInactivityMs: 45_000 } },
    errorFormatter: ({ shape, error }) => {
      const appError = toAppErrorOrInternal(error);
      const data = { ...errorData(appError), path: shape.data.path };
      return { ...shape, message: appError.message, code: TRPC_ERROR_CODES_BY_KEY[data.code], data };
    },
  });

export const router = t.router;
export const createCallerFactory = t.createCallerFactory;

/** First in every procedure: measures it, converts errors, then applies the rate limit and the request slots. */
const limitedProcedure = t.procedure
  .use(async ({ ctx, path, next }) => {
    const startedAt = performance.now();
    const result = await next();
    const error = result.ok ? undefined : toTrpcError(result.error);
    const status = error ? errorData(toAppErrorOrInternal(error)).httpStatus : 200;
    ctx.observeCall({ procedure: path, status, seconds: (performance.now() - startedAt) / 1000 });
    if (error) throw error;
    return result;
  })
  .use(async ({ ctx, type, meta, signal, next }) => {
    limitRate(ctx);
    // Subscriptions have a separate limit: an open one would hold its slot until it ends.
    if (type === "subscription" || meta?.waitsForEngine) return next();
    return inRequestSlot(ctx, signal, next);
  });

/**
 * Last before the procedure's own schema, which rejects a body that is not JSON. Asks for the second factor before a
 * dangerous act. It counts open subscriptions, ends one
 * when its subscriber loses access or the server closes, and checks each message.
 */
const wellFormedInput = t.middleware(async ({ ctx, type, meta, signal, getRawInput, next }) => {
  refuseMalformedInput(await getRawInput().catch(() => undefined));
  if (meta?.dangerous && ctx.person) await requireConfirmed(ctx.deps, ctx.person);
  if (type !== "subscription") return next();
  const { caller, person, subscriptions } = ctx;
  const rights = currentRights();
  const opened = await subscriptions.open({ caller, person, rights, access: meta?.access ?? "public" });
  signal?.addEventListener("abort", opened.close, { once: true });
  if (signal?.aborted) opened.close();
  const result = await next();
  if (result.ok && isAsyncIterable(result.data)) {
    const { yields: schema = z.never() } = meta ?? {};
    const messages = untilClosing(checkEach(keepRights(result.data), schema), ctx.closing);
    return { ...result, data: whileAllowed(messages, opened) };
  }
  opened.close();
  return result;
});

async function* checkEach(messages: AsyncIterable<unknown>, schema: z.ZodType): AsyncGenerator<unknown> {
  for await (const message of messages) yield schema.parse(message);
}

/** A client does not reconnect after a stream that returns. It does after this code. */
async function* untilClosing(
  messages: AsyncIterable<unknown>,
  closing: AbortSignal,
): AsyncGenerator<unknown> {
  yield* messages;
  if (closing.aborted) throw new AppError("unavailable", "The server is stopping. Watch again.");
}

const isAsyncIterable = (data: unknown): data is AsyncIterable<unknown> =>
  typeof data === "object" && data !== null && Symbol.asyncIterator in data;

/** Anybody, signed in or not. */
export const publicProcedure = limitedProcedure.use(wellFormedInput);

/** A user with a session, in any organization or in none. */
export const personProcedure = limitedProcedure
  .meta({ access: "person" })
  .use(({ ctx, meta, next }) => {
    const { person } = ctx;
    if (!person) throw new AppError("unauthorized", "Sign in first. API keys cannot do this.");
    if (person.onlyOrganizationId !== undefined && !meta?.limited) {
      throw new AppError(
        "forbidden",
        "You are signed in through an organization's provider, which opens only that organization. To change your account, sign in with your password or a passkey.",
      );
    }
    return next({ ctx: { ...ctx, person } });
  })
  .use(wellFormedInput);

/** Only API keys, with any scopes. */
export const keyProcedure = limitedProcedure
  .meta({ access: "key" })
  .use(({ ctx, next }) => {
    if (ctx.caller?.via.kind !== "key") {
      throw new AppError("unauthorized", "Send an API key in the header Authorization: Bearer <key>.");
    }
    const { keyId } = ctx.caller.via;
    return next({ ctx: { ...ctx, caller: ctx.caller, keyId } });
  })
  .use(wellFormedInput);

/** People of an organization, from this role on, with a session or, if a scope is given, with a key that has it. */
const fromRole = (access: OrganizationAccess, scope?: Scope) =>
  limitedProcedure.meta(scope ? { access, scope } : { access }).use(({ ctx, type, meta, next }) => {
    const isChange = type === "mutation" && !meta?.runsOnly;
    return next({ ctx: { ...ctx, caller: requireMember(ctx, { access, scope, isChange }) } });
  });

/** Anybody of an organization with a session or, if a scope is given, with a key that has it. */
export const viewerProcedure = (scope?: Scope) => fromRole("viewer", scope).use(wellFormedInput);

/** The same, except viewers: for everything that writes what others see, or reads what is not saved yet. */
export const memberProcedure = (scope?: Scope) => fromRole("member", scope).use(wellFormedInput);

/** An admin or owner with a session. API keys are rejected, whatever their scopes. */
export const adminProcedure = fromRole("member")
  .meta({ access: "admin" })
  .use(({ ctx, next }) => {
    if (!isAtLeast(ctx.caller.role, "admin")) {
      throw new AppError("forbidden", "Only admins and owners of the organization can do this.");
    }
    return next({ ctx });
  })
  .use(wellFormedInput);

/** An admin of an organization whose webhooks the operator has enabled. */
export const webhookProcedure = adminProcedure.meta({ needsWebhooks: true }).use(async ({ ctx, next }) => {
  await requireWebhooks(ctx.deps, ctx.caller);
  return next({ ctx });
});

// Parsers for procedures, made from schemas. Both parse synchronously: with a bare schema tRPC calls `parseAsync`, which
// in zod takes several times as long. The generated reference reads `zodSchema`.

/** The input of a procedure: read once, here. An invalid one gets the messages of `inputMessages`. */
export function parsed<Schema extends z.ZodType>(schema: Schema) {
  // Only the types are used: tRPC infers from them what a client sends and what a procedure gets.
  const { _input, _output }: Pick<Schema, "_input" | "_output"> = schema;
  const parse = (input: unknown): z.output<Schema> => schema.parse(input, inputMessages);
  return Object.assign(parse, { zodSchema: schema, _input, _output });
}

/** The output of a procedure: checked once, here. Fields that the schema does not name are left out. */
export const checked = <Schema extends z.ZodType>(schema: Schema) =>
  Object.assign((output: unknown): z.output<Schema> => schema.parse(output), { zodSchema: schema });
