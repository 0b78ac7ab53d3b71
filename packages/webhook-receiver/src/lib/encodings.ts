/** The last digit of 32 bytes in base64 carries two unused bits, which must be zero: one spelling for each value. */
export const base64Of32Bytes = /^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/;

export const bytesOfBase64 = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text), (char) => char.charCodeAt(0));

export const hexOf = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
