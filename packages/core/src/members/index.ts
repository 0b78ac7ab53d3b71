export { addMember } from "./add-member.ts";
export { changeRole } from "./change-role.ts";
export { createPasswordResetLink } from "./create-password-reset-link.ts";
export { listMembers } from "./list-members.ts";
export { leaveOrganization, removeMember } from "./remove-member.ts";
