import { finished, Readable } from "node:stream";
import { exportAudit } from "@querybell/core/audit";
import { csvLine } from "@querybell/core/results";
import {
  AppError,
  type AuditEntry,
  AuditExportFormat,
  ExportAudit,
  FairSlots,
  isAtLeast,
} from "@querybell/domain";
import type { FastifyInstance } from "fastify";
import { acquireSlot, type CreateContext, limitRate, requireMember } from "../trpc/context.ts";
import { invalidInput } from "../trpc/input-checks.ts";
import { abortedWhenClosed } from "./connections.ts";

const limits = {
  size: 8,
  maxPerOrganization: 2,
  maxWaitingPerOrganization: 10,
  maxWaiting: 100,
  waitMs: 30_000,
};

const types: Record<AuditExportFormat, string> = {
  csv: "text/csv; charset=utf-8; header=present",
  jsonl: "application/jsonl; charset=utf-8",
};

/**
 * `/api/audit-log.csv` and `/api/audit-log.jsonl` send the entries that match the filters of `audit.list`, all of them,
 * as a file. For admins with a session.
 */
export function addAuditRoutes(app: FastifyInstance, createContext: CreateContext): void {
  const slots = new FairSlots(limits);
  for (const format of AuditExportFormat.options) {
    app.get(`/api/audit-log.${format}`, { exposeHeadRoute: false }, async (request, reply) => {
      const context = await createContext(request);
      limitRate(context);
      const caller = requireMember(context, { access: "member", scope: undefined });
      if (!isAtLeast(caller.role, "admin")) {
        throw new AppError("forbidden", "Only admins and owners of the organization can do this.");
      }
      const { data: filter, error } = ExportAudit.safeParse(request.query);
      if (error) throw invalidInput(error);
      finished(reply.raw, await acquireSlot(slots, caller, abortedWhenClosed(reply)));
      const batches = exportAudit(context.deps, caller, { ...filter, format });
      // A refusal or an error of the first statement must not look like a file.
      const first = await batches.next();
      const text = format === "csv" ? toCsv(first, batches) : toJsonLines(first, batches);
      return reply
        .header("content-disposition", `attachment; filename="audit-log.${format}"`)
        .header("cache-control", "no-store")
        .type(types[format])
        .send(Readable.from(text, { objectMode: false }));
    });
  }
}

type Batches = AsyncGenerator<AuditEntry[]>;
type First = IteratorResult<AuditEntry[]>;

async function* toJsonLines(first: First, batches: Batches): AsyncGenerator<string> {
  for await (const entries of beginningWith(first, batches)) {
    yield entries.map((entry) => `${JSON.stringify(entry)}\n`).join("");
  }
}

const columns = [
  ...[
    "id",
    "at",
    "action",
    "by_operator",
    "user_id",
    "user_name",
    "user_email",
    "key_id",
    "target_id",
    "detail",
  ],
];

async function* toCsv(first: First, batches: Batches): AsyncGenerator<string> {
  yield csvLine(columns);
  for await (const entries of beginningWith(first, batches)) yield entries.map(toLine).join("");
}

const toLine = ({ id, at, action, byOperator, actor, keyId, targetId, detail }: AuditEntry): string =>
  csvLine([
    ...[id, at, action, byOperator, actor?.userId ?? null, actor?.name ?? null, actor?.email ?? null],
    ...[keyId, targetId, detail],
  ]);

async function* beginningWith(first: First, batches: Batches): Batches {
  if (first.done) return;
  yield first.value;
  yield* batches;
}
