export {
  asService,
  currentRights,
  keepRights,
  type Rights,
  runRequest,
  setRights,
  withRights,
} from "@querybell/db";
export { mayWriteSql, seesItem, seesQuery } from "./may-see.ts";
export { createRightsCache, type RightsCache } from "./rights-cache.ts";
export { getGroupRoles, getRowPolicies, setGroupRoles, setRowPolicies } from "./row-policies.ts";
export { asSeen, seeAs, stopSeeingAs } from "./see-as.ts";
export { getDatabaseAccess, getFolderAccess, setDatabaseAccess, setFolderAccess } from "./set-access.ts";
