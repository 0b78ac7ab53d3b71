export { changePassword, createUser, resetPassword, updateFirstSteps, updateProfile } from "./accounts.ts";
export { type Client, clientAddressHeader, toClient } from "./client.ts";
export { type Auth, createAuth } from "./create-auth.ts";
export { endOtherSessions, endSession, listSessions } from "./session-list.ts";
export {
  type CurrentAccess,
  describePerson,
  readCurrentAccess,
  resolveSession,
  type SignedIn,
} from "./sessions.ts";
export { dismissFailedSignIns, type SignInAnswer, signInWithPassword } from "./sign-in.ts";
