import { useSyncExternalStore } from "react";
import { isUnanswered, toFailure } from "../errors/failure.ts";

/** Whether the api answers, and whether the session is still valid. */
type Connection = "connected" | "lost" | "signed-out";

const pollEveryMs = 2000;
const listeners = new Set<() => void>();
let connection: Connection = "connected";
let poll: ReturnType<typeof setTimeout> | undefined;

function change(next: Connection): void {
  if (connection === next) return;
  connection = next;
  for (const listener of listeners) listener();
}

/** Checks the error of any call: it may mean that the connection is lost, or that the session has ended. */
export function reportFailedCall(error: unknown): void {
  if (toFailure(error).code === "unauthorized") change("signed-out");
  else if (isUnanswered(error) && connection === "connected") {
    change("lost");
    poll = setTimeout(checkConnection, pollEveryMs);
  }
}

async function checkConnection(): Promise<void> {
  clearTimeout(poll);
  const answer = await fetch("/readyz").catch(() => undefined);
  if (answer?.ok) change("connected");
  else poll = setTimeout(checkConnection, pollEveryMs);
}

/** A user has signed in again. */
export const reportSignedIn = (): void => change("connected");

export const useConnection = (): Connection =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => connection,
  );
