import { onPool, withRights } from "@querybell/db";
import {
  AppError,
  type Caller,
  FilterValues,
  type JobPayload,
  newId,
  Role,
  systemClock,
} from "@querybell/domain";
import {
  type EmbedGrant,
  hashEmbedValues,
  type PublishedContent,
  verifyEmbedToken,
} from "@querybell/public-pages";
import { readRights } from "../access/rights-cache.ts";
import type { Deps } from "../deps.ts";
import type { DrawnFile } from "../public-links/draw-tile.ts";
import { takeSnapshot } from "../public-links/take-snapshot.ts";
import { type ItemOfFrame, readItemOfFrame } from "./read-item.ts";

type Outcome = "not wanted any more" | "refused" | "runs started" | "made" | { failed: string };

/**
 * Works on a page that a frame waits for: starts its runs or, when they have ended, draws it. It verifies the token itself, so
 * that nothing runs without a valid one, whoever wrote the row.
 */
export async function makeEmbedPage(deps: Deps, { pageId }: JobPayload<"make_embed_page">): Promise<Outcome> {
  const page = await findRequested(deps, pageId);
  if (!page) return "not wanted any more";
  const wanted = await verify(deps, page);
  if (!wanted) {
    // The next request, perhaps with a token that has not expired, begins anew.
    await deps.db.prisma.embedPage.deleteMany({ where: sameRequest(page) });
    return "refused";
  }
  const { caller } = page;
  try {
    const made = await withRights(await readRights(onPool(deps.db), caller), async () => {
      const readAt = deps.clock.now();
      const own = await findOwnRuns(deps, page);
      const since = minutesBefore(readAt, page.cacheMinutes);
      const found = await readItemOfFrame(deps, caller, { ...wanted, since, runIds: own?.runIds ?? [] });
      if (!own && !found.computedAt) {
        const runIds = await found.start();
        if (runIds.length > 0) return { runIds };
      }
      const drawn = await draw(deps, caller, { kind: wanted.item.kind, found, readAt });
      return { ...drawn, computedAt: timeOfData(found, own ?? { runIds: [], endedAt: readAt }) };
    });
    if ("runIds" in made) {
      await deps.db.prisma.embedPage.updateMany({
        where: sameRequest(page),
        data: { state: "running", runIds: made.runIds },
      });
      return "runs started";
    }
    await writePage(deps, page, made);
    return "made";
  } catch (error) {
    // A newer result has replaced one of these meanwhile, or the hosts are busy: the job is tried again.
    if (!(error instanceof AppError) || ["result_expired", "unavailable"].includes(error.code)) throw error;
    await deps.db.prisma.embedPage.updateMany({
      where: sameRequest(page),
      data: { state: "failed", failure: toFailure(error), madeAt: deps.clock.now(), token: null },
    });
    return { failed: error.message };
  }
}

interface RequestedPage {
  id: string;
  organizationId: string;
  requestedAt: Date;
  token: string;
  valuesHash: Buffer;
  given: FilterValues;
  runIds: string[];
  keyId: string;
  publicKey: string;
  cacheMinutes: number;
  caller: Caller;
}

interface PageRow extends Omit<RequestedPage, "caller" | "given"> {
  filterValues: unknown;
  serviceAccountId: string;
  role: string;
}

async function findRequested({ db }: Pick<Deps, "db">, id: string): Promise<RequestedPage | undefined> {
  const { rows } = await db.pool.query<PageRow>({
    name: "find_requested_embed_page",
    text: `
      SELECT p.id, p.organization_id AS "organizationId", p.requested_at AS "requestedAt", p.token,
        p.values_hash AS "valuesHash", p.filter_values AS "filterValues", p.run_ids::text[] AS "runIds",
        k.id AS "keyId", k.public_key AS "publicKey", k.cache_minutes AS "cacheMinutes",
        k.service_account_id AS "serviceAccountId", m.role
      FROM embed_pages p CROSS JOIN LATERAL current_embedding_key(p.key_id) k
        JOIN members m ON m.organization_id = k.organization_id AND m.user_id = k.service_account_id
      WHERE p.id = $1 AND p.organization_id = k.organization_id AND p.state = 'requested' AND p.token IS NOT NULL`,
    values: [id],
  });
  const [row] = rows;
  if (!row) return undefined;
  const { filterValues, serviceAccountId, role, ...page } = row;
  const caller: Caller = {
    ...{ userId: serviceAccountId, organizationId: page.organizationId, role: Role.parse(role) },
    via: { kind: "session", sessionId: "" },
  };
  return { ...page, caller, given: FilterValues.parse(filterValues) };
}

/** The page, unless it was asked for again since. */
const sameRequest = ({ id, requestedAt }: RequestedPage) => ({
  id,
  requestedAt,
  state: "requested" as const,
});

/** What the token of a page allows, with the visitor's values. Undefined if it is not valid, or not for these values. */
async function verify(
  { clock }: Pick<Deps, "clock">,
  { token, keyId, publicKey, given, valuesHash }: RequestedPage,
): Promise<(EmbedGrant & { given: FilterValues }) | undefined> {
  const findKey = async (id: string) => (id === keyId ? publicKey : undefined);
  const verified = await verifyEmbedToken(token, { findKey, now: clock.now() });
  if (verified.kind === "refused") return undefined;
  const hash = hashEmbedValues(verified.grant, given);
  return hash && valuesHash.equals(hash) ? { ...verified.grant, given } : undefined;
}

const minutesBefore = (moment: Date, minutes: number): Date => new Date(moment.getTime() - minutes * 60_000);

/**
 * The runs that were started for this page, and when the last of them ended. Undefined if there are none, or if nobody asked
 * for the page until their results were too old.
 */
async function findOwnRuns(
  { db }: Pick<Deps, "db">,
  { runIds, requestedAt, cacheMinutes }: RequestedPage,
): Promise<{ runIds: string[]; endedAt: Date } | undefined> {
  if (runIds.length === 0) return undefined;
  const { _max } = await db.prisma.queryRun.aggregate({
    where: { id: { in: runIds } },
    _max: { completedAt: true },
  });
  const endedAt = _max.completedAt;
  return endedAt && endedAt > minutesBefore(requestedAt, cacheMinutes) ? { runIds, endedAt } : undefined;
}

/** The runs of the page count as one, which ended with the last of them. Other results may be older. */
function timeOfData({ item }: ItemOfFrame, { runIds, endedAt }: { runIds: string[]; endedAt: Date }): Date {
  const others = [...item.charts.values()].flatMap(({ result }) =>
    result && !runIds.includes(result.runId) ? Date.parse(result.completedAt) : [],
  );
  return new Date(Math.min(endedAt.getTime(), ...others));
}

interface DrawnPage {
  content: PublishedContent;
  files: DrawnFile[];
}

interface MadePage extends DrawnPage {
  /** The time of its data: the page counts for the minutes of its key from then. */
  computedAt: Date;
}

interface ItemToDraw {
  kind: EmbedGrant["item"]["kind"];
  found: ItemOfFrame;
  readAt: Date;
}

async function draw(deps: Deps, caller: Caller, { kind, found, readAt }: ItemToDraw): Promise<DrawnPage> {
  const isChart = kind === "chart";
  const [chart] = found.item.charts.values();
  if (isChart && !chart?.result) throw new AppError("conflict", "The run of the chart has failed.");
  return takeSnapshot(deps, caller, {
    ...{ kind: isChart ? "reference" : "dashboard", item: found.item, readAt, hasPreview: false },
  });
}

/** Few enough that encoding them does not block the event loop. */
const filesAtOnce = 8;

async function writePage(
  { db }: Pick<Deps, "db">,
  page: RequestedPage,
  { content, files, computedAt }: MadePage,
): Promise<void> {
  const { id: pageId, organizationId } = page;
  await db.transaction(async (tx) => {
    const { count } = await tx.embedPage.updateMany({
      where: sameRequest(page),
      data: {
        ...{ state: "ready", content, version: newId(systemClock), madeAt: computedAt },
        ...{ token: null, failure: null },
      },
    });
    if (count === 0) return;
    await tx.embedFile.deleteMany({ where: { pageId } });
    for (let at = 0; at < files.length; at += filesAtOnce) {
      await tx.embedFile.createMany({
        data: files
          .slice(at, at + filesAtOnce)
          .map(({ name, bytes }) => ({ name, bytes, pageId, organizationId })),
      });
    }
  });
}

/** What visitors read says nothing of locked values, names and rights in the organization. The log has the reason. */
const toFailure = ({ code }: AppError): string =>
  code === "invalid_parameter_value" || code === "missing_parameter_values"
    ? "There is nothing to show for these values. Choose others."
    : "This cannot be shown now. Ask the people who run this site.";
