export { findFlaws } from "./find-flaws.ts";
export { multiplyRows } from "./multiply-rows.ts";
export { type Plan, planFlaws } from "./plan-flaws.ts";
export { recordPlans, reportPlans } from "./record-plans.ts";
