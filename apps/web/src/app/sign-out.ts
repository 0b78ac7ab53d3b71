import { showFailure } from "../components/show-failure.ts";
import { signOut } from "../pages/account/account.ts";

/** Signs out and loads a new page, so that nothing that was shown stays in memory. */
export async function signOutAndReload(): Promise<void> {
  try {
    await signOut();
  } catch (error) {
    // Whoever leaves a shared computer must know that the session is still open.
    return showFailure("You are still signed in", error);
  }
  location.assign("/sign-in");
}
