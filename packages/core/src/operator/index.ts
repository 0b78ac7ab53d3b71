export { erasePersonAsOperator } from "../erasure/index.ts";
export {
  changeSettingsAsOperator,
  createOrganizationAsOperator,
  createPasswordResetLinkAsOperator,
  listOrganizationsAsOperator,
  makeSingleSignOnOptionalAsOperator,
  removeFactorsAsOperator,
} from "./organizations.ts";
export { checkSealedValues, type ResealedValues, resealValues, type SealedValues } from "./sealed-values.ts";
