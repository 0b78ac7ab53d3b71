export { getLineage } from "./get-lineage.ts";
export { listChartTables } from "./list-chart-tables.ts";
