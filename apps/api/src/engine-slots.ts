/**
 * The api's engine hosts test connections and list tables, and a person waits for each of these. A server that never
 * answers holds two slots at most, so that the others stay free.
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
