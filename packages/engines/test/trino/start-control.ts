import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { z } from "zod";

const Control = z.object({
  /** The address of the control process. */
  control: z.string(),
  /** Why there is no cluster here. */
  missing: z.string().optional(),
  /** Whether TRINO_URL names the cluster: then none of its nodes can be killed. */
  isGiven: z.boolean(),
});
export type Control = z.infer<typeof Control>;

/** Starts the process that starts a cluster once a test asks for it. */
export async function startControl(): Promise<Control & { stop(): Promise<void> }> {
  const child = fork(join(import.meta.dirname, "control-process.ts"), { execArgv: [] });
  const [message] = await once(child, "message");
  return {
    ...Control.parse(message),
    async stop() {
      const exited = once(child, "exit");
      child.disconnect();
      await exited;
    },
  };
}

/** Vitest's workers and other packages get it as text. */
export const parseControl = (text: string): Control => Control.parse(JSON.parse(text));
