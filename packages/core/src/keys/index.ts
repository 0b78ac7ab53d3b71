export { createKey, describeKey, insertKey, listKeys, revokeKey } from "./keys.ts";
export {
  createKeyCache,
  createKeyVerifier,
  type KeyVerifier,
  matchesHash,
  parseKeyText,
} from "./verify-key.ts";
