export { correctModelUsage } from "./correct-usage.ts";
export { getModel } from "./get-model.ts";
export { removeModel } from "./remove-model.ts";
export { testModel } from "./test-model.ts";
export { updateModel } from "./update-model.ts";
