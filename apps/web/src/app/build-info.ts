export interface BuildInfo {
  version: string;
  shortestPassword: number;
  longestPassword: number;
}

declare const __BUILD_INFO__: BuildInfo;

/** Values that the build writes into the bundle. */
export const buildInfo = __BUILD_INFO__;
