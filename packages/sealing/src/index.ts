export { deriveSecret } from "./derive-secret.ts";
export { generateKey, parseKeyring, type SealingKey } from "./keyring.ts";
export { createSealer, type Sealer, UnsealError } from "./sealer.ts";
