export { getLineage } from "./get-lineage.ts";
