import { useSyncExternalStore } from "react";

const stepMs = 30_000;
const listeners = new Set<() => void>();
let steps = 0;
let timer: ReturnType<typeof setInterval> | undefined;

function step(): void {
  steps++;
  for (const listener of listeners) listener();
}

/** The timer runs only while something shows a time and the page is visible. */
function startOrStop(): void {
  clearInterval(timer);
  timer = listeners.size > 0 && !document.hidden ? setInterval(step, stepMs) : undefined;
}

function onVisibilityChange(): void {
  if (!document.hidden) step();
  startOrStop();
}

function listen(listener: () => void): () => void {
  if (listeners.size === 0) document.addEventListener("visibilitychange", onVisibilityChange);
  listeners.add(listener);
  if (listeners.size === 1) startOrStop();
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    document.removeEventListener("visibilitychange", onVisibilityChange);
    startOrStop();
  };
}

/** Renders the component again as time passes, with one timer for the whole page. */
export const usePassingTime = (): number => useSyncExternalStore(listen, () => steps);
