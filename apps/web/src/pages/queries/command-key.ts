const isMac = typeof navigator !== "undefined" && /Mac|iP(?:hone|ad)/.test(navigator.platform);

/** The name of the modifier key for shortcuts on this machine. */
export const commandKey = isMac ? "⌘" : "Ctrl";
