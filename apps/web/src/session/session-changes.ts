// All tabs of a browser have one session. The tab that switches its organization tells the others: it has one channel,
// because a channel does not get its own messages, and another one of the same tab would.
let channel: BroadcastChannel | undefined;

/** Opened when it is first needed: the build loads this module too, and an open channel would keep it from ending. */
const openChannel = (): BroadcastChannel => {
  channel ??= new BroadcastChannel("querybell-session");
  return channel;
};

/** Tells the other tabs that the session is in another organization now. */
export const announceSessionChange = (): void => openChannel().postMessage("changed");

/** Calls the listener whenever another tab has changed the session. Returns the function that stops this. */
export function onSessionChange(listener: () => void): () => void {
  const opened = openChannel();
  opened.addEventListener("message", listener);
  return () => opened.removeEventListener("message", listener);
}
