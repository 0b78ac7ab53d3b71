export { insertGroup, lockGroups, writeGroupMembers } from "./group-rows.ts";
export {
  changeGroupMembers,
  createGroup,
  deleteGroup,
  getGroup,
  listGroups,
  renameGroup,
} from "./groups.ts";
export { freeName, type ProvidedGroup, setGroupsOfMember } from "./set-groups-of-member.ts";
