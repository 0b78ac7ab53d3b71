import { auditRouter } from "../routers/audit.ts";
import { databaseRouter } from "../routers/databases.ts";
import { invitationRouter } from "../routers/invitations.ts";
import { keyRouter } from "../routers/keys.ts";
import { meRouter } from "../routers/me.ts";
import { memberRouter } from "../routers/members.ts";
import { queryRouter } from "../routers/queries.ts";
import { referenceRouter } from "../routers/references.ts";
import { runRouter } from "../routers/runs.ts";
import { settingsRouter } from "../routers/settings.ts";
import { createCallerFactory, router } from "./procedures.ts";

export const appRouter = router({
  audit: auditRouter,
  databases: databaseRouter,
  invitations: invitationRouter,
  keys: keyRouter,
  me: meRouter,
  members: memberRouter,
  queries: queryRouter,
  references: referenceRouter,
  runs: runRouter,
  settings: settingsRouter,
});

export type AppRouter = typeof appRouter;

/** Calls procedures inside this process, with everything that a call over HTTP passes through. */
export const createCaller = createCallerFactory(appRouter);
