import type { ModelServer } from "../guarded-fetch.ts";

const { MODEL_URL, MODEL_NAME, MODEL_API_KEY } = process.env;

/** The server that `MODEL_URL`, `MODEL_NAME` and `MODEL_API_KEY` name, for the tests that can use a real one. */
export const realModel: ModelServer | null =
  MODEL_URL && MODEL_NAME ? { url: MODEL_URL, name: MODEL_NAME, apiKey: MODEL_API_KEY ?? null } : null;
