import { showFailure } from "../errors/show-failure.ts";
import { signOut } from "../pages/account/account.ts";

/** Signs out and loads a new page, so that no data stays in memory. */
export async function signOutAndReload(): Promise<void> {
  try {
    await signOut();
  } catch (error) {
    // On a shared computer, the user must know that the session is still open.
    return showFailure("You are still signed in", error);
  }
  location.assign("/sign-in");
}
