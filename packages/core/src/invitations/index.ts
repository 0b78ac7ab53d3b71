export { acceptInvitation } from "./accept-invitation.ts";
export { createInvitation } from "./create-invitation.ts";
export { getOpenInvitation } from "./get-open-invitation.ts";
export { listInvitations } from "./list-invitations.ts";
export { revokeInvitation } from "./revoke-invitation.ts";
