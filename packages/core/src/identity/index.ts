export { changePassword, createUser, resetPassword, updateFirstSteps, updateProfile } from "./accounts.ts";
export { type Auth, clientAddressHeader, createAuth } from "./create-auth.ts";
export {
  type CurrentAccess,
  describePerson,
  readCurrentAccess,
  resolveSession,
  type SignedIn,
} from "./sessions.ts";
