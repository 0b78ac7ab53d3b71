export { correctModelUsage, getModel, removeModel, updateModel } from "./model-settings.ts";
export { testModel } from "./test-model.ts";
