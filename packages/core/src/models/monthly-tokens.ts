import type { Tx } from "@querybell/db";

interface CountedTokens {
  organizationId: string;
  /** The first day of the month in which they are counted. */
  month: string;
  tokens: number;
  /** The organization's budget. */
  monthlyTokens: number;
}

/** Adds tokens to the organization's month. False, and nothing is added, if the month has no room for them. */
export async function addMonthlyTokens(
  tx: Pick<Tx, "$executeRaw">,
  { organizationId, month, tokens, monthlyTokens }: CountedTokens,
): Promise<boolean> {
  const added = await tx.$executeRaw`
    INSERT INTO model_usage AS used (organization_id, month, tokens)
    SELECT ${organizationId}::uuid, ${month}::date, ${tokens}::bigint
    WHERE ${tokens}::bigint <= ${monthlyTokens}::bigint
    ON CONFLICT (organization_id, month) DO UPDATE SET tokens = used.tokens + excluded.tokens
      WHERE used.tokens + excluded.tokens <= ${monthlyTokens}::bigint`;
  return added > 0;
}

interface SettledTokens extends Pick<CountedTokens, "organizationId" | "month"> {
  reserved: number;
  used: number;
}

/** Replaces the tokens that were reserved for a request with those that it used. */
export async function settleMonthlyTokens(
  tx: Pick<Tx, "$executeRaw">,
  { organizationId, month, reserved, used }: SettledTokens,
): Promise<void> {
  await tx.$executeRaw`
    UPDATE model_usage SET tokens = greatest(0, tokens - ${reserved}::bigint + ${used}::bigint)
    WHERE organization_id = ${organizationId}::uuid AND month = ${month}::date`;
}

export const monthlyBudgetReason = (tokens: number): string =>
  `The organization's ${tokens} tokens of this month are used. An admin can allow more under Settings, Model.`;
