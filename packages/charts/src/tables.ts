export { ExactTotal } from "./exact-sums.ts";
export { type PivotTable, pivot } from "./pivot.ts";
export {
  type CellColor,
  type ColumnSettings,
  cellColors,
  chosenWidth,
  columnsOf,
  columnWidthLimits,
  linkOf,
  type PivotSettings,
  plainColumn,
  plainTable,
  readTable,
  type TableSettings,
  type Total,
  totals,
  writeTable,
} from "./table-settings.ts";
