import { isIPv6 } from "node:net";
import type { Tx } from "@querybell/db";
import { AppError } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import type { Client } from "./client.ts";
import { hashToken } from "./secret-token.ts";

/** What attempts are counted for, and how many are allowed in one window. */
interface Limit {
  subject: Uint8Array<ArrayBuffer>;
  max: number;
}

/** Several people can share an address, so it has more attempts than an account. */
export const maxAttempts = { account: 10, address: 100 };
const windowMs = 15 * 60_000;

/** Attempts for an account, known by its email address. An address without an account is limited likewise. */
export const accountLimit = (email: string): Limit => ({
  subject: hashToken(`account:${email.toLowerCase()}`),
  max: maxAttempts.account,
});

/** Attempts to present the second factor of a person. */
export const factorLimit = (userId: string): Limit => ({
  subject: hashToken(`factor:${userId}`),
  max: maxAttempts.account,
});

export const addressLimit = ({ address }: Pick<Client, "address">): Limit => ({
  subject: hashToken(`address:${address === null ? "" : networkOf(address)}`),
  max: maxAttempts.address,
});

/** Whoever has one IPv6 address has a network of 64 bits: all its addresses count as one. */
export function networkOf(address: string): string {
  const [, embedded] = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address) ?? [];
  if (embedded !== undefined) return embedded;
  if (!isIPv6(address)) return address;
  const [text = ""] = address.split("%");
  const [left = [], right] = text.split("::").map((half) => half.split(":").filter((group) => group !== ""));
  const zeros = right ? Array<string>(Math.max(0, 8 - left.length - right.length)).fill("0") : [];
  const groups = [...left, ...zeros, ...(right ?? [])].slice(0, 4);
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(":")}::/64`;
}

export interface Attempt {
  /** Whether the next attempt for the account will be refused. */
  isLast: boolean;
}

/**
 * Counts an attempt before it is checked, so that concurrent ones cannot exceed a limit. Throws `rate_limited` if a
 * limit is reached. An attempt that succeeds is given back with `returnAttempt`.
 */
export async function takeAttempt(
  { db, clock }: Pick<Deps, "db" | "clock">,
  limits: readonly [Limit, Limit],
): Promise<Attempt> {
  const now = clock.now();
  const { rows } = await db.pool.query<{ subject: Buffer; attempts: number; windowEndsAt: Date }>({
    name: "take_sign_in_attempt",
    // In order, so that two attempts with the same subjects do not wait for each other.
    text: `
      INSERT INTO sign_in_limits AS l (subject, attempts, window_ends_at)
      SELECT subject, 1, $3 FROM unnest($1::bytea[]) AS subject ORDER BY subject
      ON CONFLICT (subject) DO UPDATE SET
        attempts = CASE WHEN l.window_ends_at <= $2 THEN 1 ELSE l.attempts + 1 END,
        window_ends_at = CASE WHEN l.window_ends_at <= $2 THEN excluded.window_ends_at ELSE l.window_ends_at END
      RETURNING subject, attempts, window_ends_at AS "windowEndsAt"`,
    values: [limits.map(({ subject }) => Buffer.from(subject)), now, new Date(now.getTime() + windowMs)],
  });
  const counts = limits.map(({ subject, max }) => {
    const row = rows.find((one) => one.subject.equals(subject));
    return { max, attempts: row?.attempts ?? 1, windowEndsAt: row?.windowEndsAt ?? now };
  });
  const reached = counts.filter(({ attempts, max }) => attempts > max);
  if (reached.length > 0) {
    const waitMs = Math.max(...reached.map(({ windowEndsAt }) => windowEndsAt.getTime() - now.getTime()));
    const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000));
    const minutes = Math.ceil(retryAfterSeconds / 60);
    throw new AppError(
      "rate_limited",
      `Too many failed tries. Wait ${minutes === 1 ? "a minute" : `${minutes} minutes`}, then try again.`,
      { retryAfterSeconds },
    );
  }
  return { isLast: counts.some(({ attempts }, at) => at === 0 && attempts === limits[0].max) };
}

/** After a success: forgets the attempts for the account, and takes one off those of the address. */
export async function returnAttempt(tx: Tx, [account, address]: readonly [Limit, Limit]): Promise<void> {
  await tx.signInLimit.deleteMany({ where: { subject: account.subject } });
  await tx.signInLimit.updateMany({
    where: { subject: address.subject, attempts: { gt: 0 } },
    data: { attempts: { decrement: 1 } },
  });
}
