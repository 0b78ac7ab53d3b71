import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { z } from "zod";

declare module "vitest" {
  interface ProvidedContext {
    /** `TrinoControl` as JSON. */
    trinoControl: string;
  }
}

const TrinoControl = z.object({
  /** The address of the control process. */
  url: z.string(),
  /** Why no cluster can be started here. */
  missing: z.string().optional(),
  /** Whether TRINO_URL names the cluster. Then the tests start none. */
  isExternal: z.boolean(),
});
export type TrinoControl = z.infer<typeof TrinoControl>;

export const parseTrinoControl = (text: string): TrinoControl => TrinoControl.parse(JSON.parse(text));

/** Starts the process that starts a cluster when the first test asks for one. */
export async function startTrinoControl(): Promise<TrinoControl & { stop(): Promise<void> }> {
  const child = fork(join(import.meta.dirname, "control-process.ts"), { execArgv: [] });
  const [message] = await once(child, "message");
  const control = TrinoControl.parse(message);
  if (control.missing) {
    console.log(
      `The tests on Trino are skipped: ${control.missing}. Install it, or set TRINO_URL to a cluster.`,
    );
  }
  return {
    ...control,
    async stop() {
      // A signal to the whole process group may have ended it already.
      if (!child.connected) return;
      const exited = once(child, "exit");
      child.disconnect();
      await exited;
    },
  };
}

/** Vitest's global set-up: uses the control process of `npm test`, or starts one for this package alone. */
export default async function setup({ provide }: TestProject) {
  const shared = process.env.QUERYBELL_TEST_TRINO;
  if (shared) {
    provide("trinoControl", shared);
    return () => {};
  }
  const { stop, ...control } = await startTrinoControl();
  provide("trinoControl", JSON.stringify(control));
  return stop;
}
