/**
 * The api's engine hosts test connections and list tables while a user waits. One organization gets two of the four
 * slots, so that its unresponsive servers leave the others free.
 */
export const engineSlots = {
  engineHosts: 4,
  engineLimits: {
    maxPerOrganization: 2,
    maxWaitingPerOrganization: 10,
    maxWaiting: 100,
    waitMs: 20_000,
  },
};
