export { insertGroup, lockGroups, writeGroupMembers } from "./group-rows.ts";
export {
  changeGroupMembers,
  createGroup,
  deleteGroup,
  getGroup,
  listGroups,
  renameGroup,
} from "./groups.ts";
export {
  deleteProvidedGroup,
  keepProvidedGroup,
  type ProvidedGroup,
  setGroupsOfMember,
} from "./provided-groups.ts";
