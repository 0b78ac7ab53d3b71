export { changePassword } from "./change-password.ts";
export { type Auth, clientAddressHeader, createAuth } from "./create-auth.ts";
export { createUser } from "./create-user.ts";
export { type CurrentAccess, readCurrentAccess } from "./current-access.ts";
export { describePerson } from "./describe-person.ts";
export { purgeExpiredIdentity } from "./purge-expired.ts";
export { resetPassword } from "./reset-password.ts";
export { resolveSession, type SignedIn } from "./resolve-session.ts";
export { updateProfile } from "./update-profile.ts";
