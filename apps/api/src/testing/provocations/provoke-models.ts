import { startModelServer } from "@querybell/models/testing";
import type { ProvocationContext } from "./provoke.ts";

/** Errors because of a language model. */
export async function provokeModels({ provoke }: ProvocationContext): Promise<void> {
  const chosen = { connection: null, monthlyTokens: 1000, consent: true };
  await provoke("models.update", "conflict", chosen);
  await provoke("models.test", "conflict", { connection: null });
  await using server = await startModelServer(() => ({ kind: "status", status: 401 }));
  await provoke("models.test", "model_refused", { connection: { url: server.url, name: "m" } });
  await using broken = await startModelServer(() => ({ kind: "status", status: 500 }));
  await provoke("models.test", "model_unreachable", { connection: { url: broken.url, name: "m" } });
}
