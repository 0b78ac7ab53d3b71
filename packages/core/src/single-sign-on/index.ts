export { addDomain, checkDomain, removeDomain } from "./domains.ts";
export { createIssuerGuard } from "./issuer-guard.ts";
export {
  enforceSingleSignOn,
  getSingleSignOn,
  removeIdentityProvider,
  saveIdentityProvider,
} from "./providers.ts";
export { finishSingleSignOn, type SingleSignOnAnswer, startSingleSignOn } from "./sign-in.ts";
