import { UnsealError } from "@querybell/sealing";

/** Undefined if the value cannot be unsealed, for example because its key was removed from the keyring. */
export function unsealOrUndefined<T>(unseal: () => T): T | undefined {
  try {
    return unseal();
  } catch (error) {
    if (error instanceof UnsealError) return undefined;
    throw error;
  }
}
