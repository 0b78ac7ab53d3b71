export { approveConnection, describeRequest } from "./authorization.ts";
export { purgeUnusedClients, registerClient } from "./clients.ts";
export { disconnectProgram, listOwnPrograms, listPrograms, revokeProgram } from "./grants.ts";
export { isAccessToken, OAuthError, resourceOf } from "./protocol.ts";
export { issueTokens, revokeToken } from "./tokens.ts";
