export { createKey, insertKey } from "./create-key.ts";
export { describeKey } from "./describe-key.ts";
export { createKeyCache } from "./key-cache.ts";
export { matchesHash, parseKeyText } from "./key-text.ts";
export { listKeys } from "./list-keys.ts";
export { revokeKey } from "./revoke-key.ts";
export { createKeyVerifier, type KeyVerifier } from "./verify-key.ts";
