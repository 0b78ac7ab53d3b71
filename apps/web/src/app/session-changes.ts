// All tabs of a browser have one session. The tab that switches its organization tells the others: it has one channel,
// because a channel does not get its own messages, and another one of the same tab would.
const channel = new BroadcastChannel("querybell-session");

/** Tells the other tabs that the session is in another organization now. */
export const announceSessionChange = (): void => channel.postMessage("changed");

/** Calls the listener whenever another tab has changed the session. Returns the function that stops this. */
export function onSessionChange(listener: () => void): () => void {
  channel.addEventListener("message", listener);
  return () => channel.removeEventListener("message", listener);
}
