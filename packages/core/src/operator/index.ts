export { changeSettingsAsOperator } from "./change-settings.ts";
export { checkSealedValues, type SealedValues } from "./check-sealed-values.ts";
export { createOrganizationAsOperator } from "./create-organization.ts";
export { createPasswordResetLinkAsOperator } from "./create-password-reset-link.ts";
export { listOrganizationsAsOperator } from "./list-organizations.ts";
