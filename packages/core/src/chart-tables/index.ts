export { listChartTables } from "./find-charts.ts";
export { getLineage } from "./get-lineage.ts";
