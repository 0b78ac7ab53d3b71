import { useSyncExternalStore } from "react";

// A dangerous call that the api has refused waits here until the person has presented their second factor.

let waiting: { promise: Promise<boolean>; end: (isConfirmed: boolean) => void } | undefined;
const listeners = new Set<() => void>();

const changed = () => {
  for (const listener of listeners) listener();
};

/** Opens the dialog. Calls that need it at the same time share it. Resolves to false if it is closed. */
export function confirmSecondFactor(): Promise<boolean> {
  if (!waiting) {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    waiting = { promise, end: resolve };
    changed();
  }
  return waiting.promise;
}

export function endConfirmation(isConfirmed: boolean): void {
  waiting?.end(isConfirmed);
  waiting = undefined;
  changed();
}

const listen = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** Whether a call waits for the second factor. */
export const useIsConfirming = (): boolean => useSyncExternalStore(listen, () => waiting !== undefined);
