const read = (): string => document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? "";

/** Allows the style elements that libraries add at run time; the api makes a new one for each answer. */
export const styleNonce = import.meta.env.SSR ? "" : read();

// Where the libraries below Mantine's dialogs look for it.
Object.assign(globalThis, { __webpack_nonce__: styleNonce });
