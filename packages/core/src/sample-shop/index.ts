export {
  insertSampleShop,
  runSampleQueries,
  sampleAutomation,
  sampleAutomationTitles,
} from "./insert-sample-shop.ts";
export { sampleQueries } from "./sample-queries.ts";
export { createSampleShop, deleteSampleShop, findSampleShop } from "./sample-shop.ts";
export { executeSampleShopCreation, executeSampleShopDeletion } from "./sample-shop-jobs.ts";
