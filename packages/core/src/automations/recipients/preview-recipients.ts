import { setImmediate as nextTurn } from "node:timers/promises";
import {
  AppError,
  type Caller,
  cutText,
  destinationsOf,
  type PreviewRecipients,
  type RecipientsPreview,
  recipientsPreviewLimits,
} from "@querybell/domain";
import { GroupRows } from "@querybell/summaries";
import type { Deps } from "../../deps.ts";
import { referenceNotFound } from "../../references/get-reference.ts";
import { computeStored } from "../../results/compute-stored.ts";
import { getResult } from "../../results/get-result.ts";
import { readResult } from "../../results/read-result.ts";
import { lockDestinations } from "../check-automation.ts";
import { checkRecipients } from "./check-recipients.ts";
import { findTargets } from "./find-targets.ts";
import { problemOf, resolveTargets, toSplit } from "./make-messages.ts";

const limits = recipientsPreviewLimits;
const cellCharacters = 100;

/** Who would get what from recipients that are not saved, by the present result of the chart. Sends nothing and runs nothing. */
export async function previewRecipients(
  deps: Deps,
  caller: Caller,
  { recipients, parameterValues }: PreviewRecipients,
  signal: AbortSignal = new AbortController().signal,
): Promise<RecipientsPreview> {
  const { organizationId } = caller;
  const { shortId } = recipients;
  const reference = await deps.db.prisma.queryReference.findFirst({
    where: { shortId, organizationId, deletedAt: null },
    select: { queryId: true },
  });
  if (!reference?.queryId) throw referenceNotFound();
  const destinations = await lockDestinations(deps.db.prisma, caller, destinationsOf(recipients));
  checkRecipients({ recipients, agent: "digest", references: [{ shortId }], destinations });
  const result = await getResult(deps, caller, { id: reference.queryId, shortId, parameterValues });
  const stored = await readResult(deps, caller, result);
  const { shortId: _, ...split } = toSplit(recipients);
  const answer = await computeStored(
    deps,
    {
      organizationId,
      operation: { name: "split", split: { ...split, maxGroups: limits.recipients } },
      results: [{ cut: result.cutBy !== null, read: () => stored.pieces }],
    },
    signal,
  );
  if (!answer) throw new AppError("invalid_request", "The result is too large to be split into messages.");
  const { groups } = answer;
  const found = await findTargets(deps, caller, recipients);
  const problem = problemOf(groups, recipients) ?? ("problem" in found ? found.problem : null);
  const preview = { resultAt: result.completedAt, problem };
  if ("problem" in groups || "problem" in found) {
    return { ...preview, recipients: [], recipientCount: 0, emptyCount: 0 };
  }
  const targetOf = await resolveTargets(deps, { organizationId, targets: found, groups });
  const shown: RecipientsPreview["recipients"] = [];
  for (const { value: recipient, rowCount, rows } of groups.groups) {
    const target = targetOf(recipient);
    shown.push({
      ...{ recipient, rowCount, refusal: typeof target === "string" ? target : null },
      columns: groups.columns.slice(0, limits.columns),
      rows: GroupRows.parse(JSON.parse(rows))
        .slice(0, limits.rows)
        .map((row) => row.slice(0, limits.columns).map(toShownCell)),
    });
    await nextTurn();
  }
  const { groupCount: recipientCount, emptyCount } = groups;
  return { ...preview, recipients: shown, recipientCount, emptyCount };
}

const toShownCell = (cell: string | null): string => {
  const text = cell ?? "";
  return text.length > cellCharacters ? `${cutText(text, cellCharacters)}…` : text;
};
