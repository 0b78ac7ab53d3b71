export { createPasswordResetLink } from "./create-password-reset-link.ts";
export { createServiceAccount } from "./create-service-account.ts";
export { addMember, changeRole, leaveOrganization, listMembers, removeMember } from "./members.ts";
export { getAttributes, setAttributes, setAttributesOfMember } from "./set-attributes.ts";
