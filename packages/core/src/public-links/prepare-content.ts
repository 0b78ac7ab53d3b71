import { addJob, type Tx } from "@querybell/db";
import { AppError, type Caller, type PublicLinkItem, type PublishedChoices } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { readItem } from "./item-to-publish.ts";
import { dependsOnReader, publishQueue, requireChoices } from "./published-choices.ts";
import { type Snapshot, takeSnapshot } from "./take-snapshot.ts";
import { writePage } from "./write-page.ts";

/** What a link shows: a page that is drawn already or, with choices, pages whose queries are to run. */
export interface PreparedContent {
  title: string;
  choices: PublishedChoices;
  snapshot?: Snapshot;
}

export async function prepareContent(
  deps: Deps,
  caller: Caller,
  { item, choices }: { item: PublicLinkItem; choices: PublishedChoices },
): Promise<PreparedContent> {
  if (choices.length > 0) return { choices, title: await requireChoices(deps, caller, { item, choices }) };
  const snapshot = await snapshotOf(deps, caller, item);
  return { choices, title: snapshot.content.title, snapshot };
}

export async function writeContent(
  { tx, clock }: { tx: Tx } & Pick<Deps, "clock">,
  caller: Caller,
  { linkId, content: { choices, snapshot } }: { linkId: string; content: PreparedContent },
): Promise<void> {
  const { organizationId } = caller;
  if (snapshot) return writePage(tx, { linkId, organizationId, number: 0, choices, snapshot });
  const since = clock.now().toISOString();
  await addJob(tx, ["refresh_published_choices", { linkId, since }], { queue: publishQueue(caller) });
}

/** How often newer results may replace those that are being drawn. */
const maxTries = 3;

/** What the item shows now. A chart by itself needs a result that everybody may see. */
async function snapshotOf(deps: Deps, caller: Caller, item: PublicLinkItem): Promise<Snapshot> {
  const { kind, id } = item;
  for (let tries = 1; ; tries++) {
    const readAt = deps.clock.now();
    const found = await readItem(deps, caller, { item });
    if (kind === "reference") requireResult(found, id);
    try {
      return await takeSnapshot(deps, caller, { kind, item: found, readAt });
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== "result_expired") throw error;
      if (tries === maxTries) throw new AppError("unavailable", "Newer results arrive just now. Try again.");
    }
  }
}

function requireResult({ charts, runs }: Awaited<ReturnType<typeof readItem>>, id: string): void {
  const result = charts.get(id)?.result;
  if (!result) {
    throw new AppError(
      "conflict",
      "This chart has no stored result for its default values. Run it with them, and publish it then.",
    );
  }
  if (!runs.has(result.runId)) throw dependsOnReader();
}
