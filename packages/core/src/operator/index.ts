export {
  cancelDeletionAsOperator,
  erasePersonAsOperator,
  requestDeletionAsOperator,
} from "../erasure/index.ts";
export { exportAuditAsOperator } from "./export-audit.ts";
export {
  changeSettingsAsOperator,
  createOrganizationAsOperator,
  listOrganizationsAsOperator,
  makeSingleSignOnOptionalAsOperator,
} from "./organizations.ts";
export {
  createPasswordResetLinkAsOperator,
  disablePersonAsOperator,
  enablePersonAsOperator,
  endAllSessionsAsOperator,
  endSessionsAsOperator,
  removeFactorsAsOperator,
} from "./people.ts";
export {
  checkSealedValues,
  findKeyFaults,
  type ResealedValues,
  resealValues,
  type SealedValues,
} from "./sealed-values.ts";
