import { signOut } from "../pages/account/account.ts";

/** Signs out. A fresh page: nothing of what was shown stays in memory. */
export async function leave(): Promise<void> {
  await signOut();
  location.assign("/sign-in");
}
