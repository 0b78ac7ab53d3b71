const isMac = typeof navigator !== "undefined" && /Mac|iP(?:hone|ad)/.test(navigator.platform);

/** What the key for commands is called on this machine. */
export const commandKey = isMac ? "⌘" : "Ctrl";
