import { api } from "../api.ts";
import { showFailure } from "../errors/error-notice.tsx";
import { signOut } from "../pages/account/account.ts";

// All tabs of a browser share one session. A tab that switches its organization notifies the others. It must
// have only one channel, because a second channel in the same tab would receive its own message.
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

/** Switches the session to another organization and loads a new page, so that no data of the previous one stays in memory. */
export async function switchOrganization(organizationId: string, href = "/"): Promise<void> {
  await api.me.switchOrganization.mutate({ organizationId });
  announceSessionChange();
  location.assign(href);
}

/** Signs out and loads a new page, so that no data stays in memory. */
export async function signOutAndReload(): Promise<void> {
  try {
    const url = await signOut();
    location.assign(url ?? "/sign-in");
  } catch (error) {
    // On a shared computer, the user must know that the session is still open.
    showFailure("You are still signed in", error);
  }
}
