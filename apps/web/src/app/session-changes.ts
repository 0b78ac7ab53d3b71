// All tabs of a browser have one session. The tab that switches its organization tells the others.
const channelName = "querybell-session";

/** Tells the other tabs that the session is in another organization now. */
export function announceSessionChange(): void {
  const channel = new BroadcastChannel(channelName);
  channel.postMessage("changed");
  channel.close();
}

/** Calls the listener whenever another tab has changed the session. Returns the function that stops this. */
export function onSessionChange(listener: () => void): () => void {
  const channel = new BroadcastChannel(channelName);
  channel.addEventListener("message", listener);
  return () => channel.close();
}
