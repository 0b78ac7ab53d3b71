export { acceptInvitation, getOpenInvitation } from "./accept-invitation.ts";
export { createInvitation, listInvitations, revokeInvitation } from "./invitations.ts";
