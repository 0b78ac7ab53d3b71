import {
  type Caller,
  type DestinationChoice,
  destinationsOf,
  type StoredRecipients,
} from "@querybell/domain";
import type { Deps } from "../../deps.ts";
import { openAddresses } from "../../destinations/get-destination.ts";
import { toRowRecipients } from "../../destinations/row-recipients.ts";

/** Where messages to recipients may go now. */
export type Targets =
  | {
      kind: "addresses";
      destinationId: string;
      policy: DestinationChoice["rowRecipients"];
      /** Of the destination itself. */
      ownAddresses: string[];
    }
  | { kind: "destinations"; byValue: ReadonlyMap<string, string> };

/** Reads the destinations, as they are now. A problem: one was deleted, or takes no addresses from rows any more, or a key is missing. */
export async function findTargets(
  { db, sealer }: Pick<Deps, "db" | "sealer">,
  { organizationId }: Pick<Caller, "organizationId">,
  recipients: StoredRecipients,
): Promise<Targets | { problem: string }> {
  const { to } = recipients;
  const rows = await db.prisma.webhookEndpoint.findMany({
    where: {
      ...{ id: { in: destinationsOf(recipients) }, organizationId },
      ...{ state: { not: "deleted" }, kind: { notIn: ["webhook", "mcp"] } },
    },
    select: { id: true, rowRecipients: true, secrets: { orderBy: { signsFrom: "desc" }, take: 1 } },
  });
  if (to.kind === "addresses") {
    const [row] = rows;
    if (!row) return { problem: "The destination of the recipients was deleted. Choose another." };
    const policy = toRowRecipients(row.rowRecipients);
    if (!policy) {
      return {
        problem: "The destination takes no addresses from rows any more. Ask an admin, or choose another.",
      };
    }
    const ownAddresses = openAddresses({ sealer }, row);
    if (!ownAddresses) {
      return {
        problem: "The addresses of the destination cannot be read. Ask an admin to enter them again.",
      };
    }
    return { kind: "addresses", destinationId: to.destinationId, policy, ownAddresses };
  }
  const known = new Set(rows.map(({ id }) => id));
  const gone = to.choices.find(({ destinationId }) => !known.has(destinationId));
  if (gone) {
    return { problem: `The destination for ${JSON.stringify(gone.value)} was deleted. Choose another.` };
  }
  return {
    kind: "destinations",
    byValue: new Map(to.choices.map(({ value, destinationId }) => [value, destinationId])),
  };
}
