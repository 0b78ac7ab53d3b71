export {
  createScimGroup,
  deleteScimGroup,
  getScimGroup,
  listScimGroups,
  patchScimGroup,
  replaceScimGroup,
  type ScimGroup,
} from "./groups.ts";
export { ScimError } from "./scim-error.ts";
export {
  createScimToken,
  deleteScimToken,
  getScimState,
  type Provisioner,
  verifyScimToken,
} from "./tokens.ts";
export {
  createScimUser,
  deleteScimUser,
  getScimUser,
  listScimUsers,
  patchScimUser,
  replaceScimUser,
  type ScimList,
  type ScimUser,
} from "./users.ts";
