// Whether a process lives is a matter of real time, so leases ask for now() and not for querybell_now().
export const leaseSeconds = 15;

/** How often a run may be begun: a run whose workers keep dying is not begun for ever. */
export const maxBeginnings = 5;
