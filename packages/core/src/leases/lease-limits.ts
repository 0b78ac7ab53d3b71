// Leases expire by real time, so they use now() and not querybell_now(), which tests move.
export const leaseSeconds = 15;

/** How often a run may be started. A run whose workers keep dying fails after this many attempts. */
export const maxAttempts = 5;
