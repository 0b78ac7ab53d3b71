export {
  createOrganization,
  insertOrganization,
  listMemberships,
  switchOrganization,
} from "./organizations.ts";
export { locatePermalink } from "./permalinks.ts";
export { createRestStates } from "./rest-state.ts";
export { changeSettings, getSettings, updateSettings } from "./settings.ts";
