import { createTestSecret } from "@querybell/webhook-test-sender";
import { ReceivingProgram } from "../src/receiving-program.ts";

/** A running program and its secret, with which a test signs. */
export type Receiver = ReceivingProgram & { readonly secret: string };

/** Starts a program of Node that reads WEBHOOK_SECRET. */
export async function startReceiver(
  args: string[],
  { cwd, secret = createTestSecret() }: { cwd: string; secret?: string },
): Promise<Receiver> {
  const env = { WEBHOOK_SECRET: secret };
  const program = await ReceivingProgram.start({ program: process.execPath, args, cwd, env });
  return Object.assign(program, { secret });
}
