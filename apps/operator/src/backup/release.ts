import { createRequire } from "node:module";

const { version }: { version: string } = createRequire(import.meta.url)("../../package.json");

/** The version of Querybell that runs. */
export const release = version;
