export { deriveSecret, generateKey, parseKeyring } from "./keyring.ts";
export { createSealer, type Sealer, UnsealError } from "./sealer.ts";
