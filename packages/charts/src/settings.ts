export { type SortOrder, sortOrders } from "./arrange.ts";
export {
  type ChartSettings,
  type ChartType,
  chartTypes,
  hasMeaning,
  hasRightAxis,
  isLying,
  isMarkType,
  type MarkType,
  markOf,
  markTypes,
  plainSeries,
  plainSettings,
  type SeriesSettings,
} from "./chart-settings.ts";
export { namesWithColors } from "./colored-names.ts";
export { elementToSettings } from "./element-to-settings.ts";
export { keepRest } from "./keep-rest.ts";
export { colorAt, palette } from "./palette.ts";
export { settingsToElement, writeJsxConfig } from "./settings-to-element.ts";
export {
  addToMemory,
  changeType,
  type RememberedSettings,
  remember,
  suggestSettings,
  suggestTitle,
  withSplit,
} from "./suggest-settings.ts";
export { timeNames } from "./time-names.ts";
