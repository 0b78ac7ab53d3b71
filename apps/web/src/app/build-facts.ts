export interface BuildFacts {
  version: string;
  shortestPassword: number;
  longestPassword: number;
}

declare const __BUILD_FACTS__: BuildFacts;

/** What the pages know from their build. */
export const buildFacts = __BUILD_FACTS__;
