export { changePassword, createUser, resetPassword, updateFirstSteps, updateProfile } from "./accounts.ts";
export { type Client, clientAddressHeader, toClient } from "./client.ts";
export { type Auth, createAuth } from "./create-auth.ts";
export { findSignOutUrl } from "./create-session.ts";
export { cancelFactorReset, requestFactorReset } from "./factor-resets.ts";
export { requireConfirmed } from "./factors.ts";
export {
  confirmWithPasskey,
  finishPasskey,
  loadWebAuthn,
  removePasskey,
  signInWithPasskey,
  startConfirm,
  startPasskey,
  startPasskeySignIn,
} from "./passkeys.ts";
export {
  confirmWithCode,
  finishTotp,
  getSecondFactor,
  removeTotp,
  renewRecoveryCodes,
  startTotp,
} from "./second-factor.ts";
export { endOtherSessions, endSession, listSessions } from "./session-list.ts";
export {
  type CurrentAccess,
  describePerson,
  readCurrentAccess,
  resolveSession,
  type SignedIn,
} from "./sessions.ts";
export { dismissFailedSignIns, finishSignIn, signInWithPassword } from "./sign-in.ts";
export { readRequestCookie } from "./sign-in-requests.ts";
