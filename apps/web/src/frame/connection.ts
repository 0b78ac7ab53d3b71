import { useEffect, useRef, useSyncExternalStore } from "react";
import { isUnanswered, toFailure } from "../errors/failure.ts";

/**
 * Whether the api answers, and whether the session is still valid. Offline: it does not answer, and the browser has no
 * network. A server on the same machine answers without one.
 */
type Connection = "connected" | "lost" | "offline" | "signed-out";

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
  else if (isUnanswered(error) && connection === "connected") reportUnanswered();
}

function reportUnanswered(): void {
  clearTimeout(poll);
  change(navigator.onLine === false ? "offline" : "lost");
  poll = setTimeout(checkConnection, pollEveryMs);
}

/** Whether the api answers now. */
export async function isAnswering(): Promise<boolean> {
  const answer = await fetch("/readyz").catch(() => undefined);
  return answer?.ok ?? false;
}

async function checkConnection(): Promise<void> {
  clearTimeout(poll);
  const isConnected = await isAnswering();
  // Signing in again ends this state, and nothing else does.
  if (connection === "signed-out") return;
  if (isConnected) change("connected");
  else reportUnanswered();
}

/** A user has signed in again. */
export const reportSignedIn = (): void => change("connected");

/** Checks the connection whenever the browser loses or gets a network. Returns the function that stops this. */
export function watchNetwork(): () => void {
  const check = () => void checkConnection();
  window.addEventListener("offline", check);
  window.addEventListener("online", check);
  return () => {
    window.removeEventListener("offline", check);
    window.removeEventListener("online", check);
  };
}

const listen = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export const useConnection = (): Connection => useSyncExternalStore(listen, () => connection);

const isCut = (): boolean => connection === "lost" || connection === "offline";

/** Calls the function each time that the api answers again. */
export function useOnReconnect(callback: () => void): void {
  const latest = useRef(callback);
  latest.current = callback;
  const isCutNow = useSyncExternalStore(listen, isCut);
  const wasCut = useRef(isCutNow);
  useEffect(() => {
    if (wasCut.current && !isCutNow) latest.current();
    wasCut.current = isCutNow;
  }, [isCutNow]);
}

/**
 * Loads a script of the app. Without a connection it waits, and loads the script once the api answers again. Rejects if
 * the api answers and has no such script, for example after an update.
 */
export async function loadScript<Module>(load: () => Promise<Module>): Promise<Module> {
  for (;;) {
    const loaded = await load().catch(() => undefined);
    if (loaded !== undefined) return loaded;
    // The connection may be back since.
    if (await isAnswering()) return load();
    if (connection === "connected") reportUnanswered();
    await new Promise<void>((resolve) => {
      const stop = listen(() => {
        if (isCut()) return;
        stop();
        resolve();
      });
    });
  }
}
