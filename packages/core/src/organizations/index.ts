export { createOrganization, insertOrganization } from "./create-organization.ts";
export { getSettings } from "./get-settings.ts";
export { listMemberships } from "./list-memberships.ts";
export { locatePermalink } from "./permalinks.ts";
export { createRestStates } from "./rest-state.ts";
export { switchOrganization } from "./switch-organization.ts";
export { changeSettings, updateSettings } from "./update-settings.ts";
