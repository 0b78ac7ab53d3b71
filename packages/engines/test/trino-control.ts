import type { TestProject } from "vitest/node";
import { startControl } from "./trino/start-control.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** How tests ask for a Trino cluster: see `Control`, as JSON. */
    trinoControl: string;
  }
}

/** Vitest's global set-up: the control process that `npm test` runs for all packages, or one for this package alone. */
export default async function setup({ provide }: TestProject) {
  const shared = process.env.QUERYBELL_TEST_TRINO;
  if (shared) {
    provide("trinoControl", shared);
    return () => {};
  }
  const { stop, ...control } = await startControl();
  if (control.missing) {
    console.log(`The tests on Trino are left out: ${control.missing}. Or set TRINO_URL to a cluster.`);
  }
  provide("trinoControl", JSON.stringify(control));
  return stop;
}
