/** What the api has accepted: the effect of each must be found in the end. */
export interface Ledger {
  queryRuns: Set<string>;
  automationRuns: Set<string>;
  /** Runs whose completion by the external agent was confirmed, with its summary. */
  agentSummaries: Map<string, string>;
  /** The titles that a reference may have: several after a call without an answer. Null: deleted. */
  references: Map<string, Set<string | null>>;
  /** The numbers of rows that the uploaded table may have. */
  uploadedRows: Set<number>;
}

export const createLedger = (): Ledger => ({
  queryRuns: new Set(),
  automationRuns: new Set(),
  agentSummaries: new Map(),
  references: new Map(),
  uploadedRows: new Set(),
});
