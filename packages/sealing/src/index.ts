export { deriveSecret, generateKey, parseKeyring, type SealingKey } from "./keyring.ts";
export { createSealer, type Sealer, UnsealError } from "./sealer.ts";
