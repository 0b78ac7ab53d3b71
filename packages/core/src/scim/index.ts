export {
  createScimGroup,
  deleteScimGroup,
  getScimGroup,
  listScimGroups,
  patchScimGroup,
  replaceScimGroup,
  type ScimGroup,
} from "./groups.ts";
export { ScimError, type ScimList } from "./protocol.ts";
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
  type ScimUser,
} from "./users.ts";
