export * from "./app-error.ts";
export * from "./clock.ts";
export * from "./error-codes.ts";
export * from "./ids.ts";
export * from "./parameters.ts";
export * from "./results.ts";
export * from "./run-failures.ts";
