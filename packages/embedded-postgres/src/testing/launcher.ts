import type { Account } from "../account.ts";
import { type EmbeddedPostgresOptions, startEmbeddedPostgres, startThrowawayPostgres } from "../index.ts";

/** The first message from a test to a launcher. */
export interface LaunchOrder {
  /** The user to become first. */
  account?: Account;
  /** Without options: a throwaway server. */
  options?: Pick<EmbeddedPostgresOptions, "folder" | "programs">;
}

export type LaunchAnswer =
  | { kind: "started"; url: string; serverFolder: string }
  | { kind: "refused"; name: string; message: string };

const answer = (message: LaunchAnswer) => process.send?.(message);

process.once("message", async ({ account, options }: LaunchOrder) => {
  if (account) {
    process.setgroups?.([]);
    process.setgid?.(account.gid);
    process.setuid?.(account.uid);
  }
  try {
    const postgres = await (options ? startEmbeddedPostgres(options) : startThrowawayPostgres());
    process.once("message", async () => {
      await postgres.stop();
      process.disconnect?.();
    });
    answer({ kind: "started", url: postgres.url, serverFolder: postgres.serverFolder });
  } catch (error) {
    const { name, message } = error instanceof Error ? error : new Error(String(error));
    answer({ kind: "refused", name, message });
    process.disconnect?.();
  }
});
