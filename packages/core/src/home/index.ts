export { readHomeOverview } from "./read-home-overview.ts";
