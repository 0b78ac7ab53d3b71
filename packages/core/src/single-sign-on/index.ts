export { addDomain, checkDomain, removeDomain } from "./domains.ts";
export { createIssuerGuard, loadOidcClient } from "./oidc-client.ts";
export {
  enforceSingleSignOn,
  getSingleSignOn,
  removeIdentityProvider,
  saveIdentityProvider,
} from "./providers.ts";
export { finishSingleSignOn, type SingleSignOnAnswer, startSingleSignOn } from "./sign-in.ts";
