export { erasePersonAsOperator } from "../erasure/index.ts";
export { checkSealedValues, type SealedValues } from "./check-sealed-values.ts";
export {
  changeSettingsAsOperator,
  createOrganizationAsOperator,
  createPasswordResetLinkAsOperator,
  listOrganizationsAsOperator,
  makeSingleSignOnOptionalAsOperator,
  removeFactorsAsOperator,
} from "./organizations.ts";
