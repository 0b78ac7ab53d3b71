const read = (): string => document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? "";

/** The CSP nonce for style elements that libraries add at run time. The api creates a new one for each response. */
export const styleNonce = import.meta.env.SSR ? "" : read();

// The libraries below Mantine's dialogs read the nonce from here.
Object.assign(globalThis, { __webpack_nonce__: styleNonce });
