import { ApiSettings } from "@querybell/api/settings";
import { readSettings } from "@querybell/runtime";
import { WorkerSettings } from "@querybell/worker/settings";
import { expect, test } from "vitest";
import { devSettings, LocalSettings } from "./env.ts";

const schemas = {
  api: ApiSettings,
  worker: WorkerSettings,
  "npm start": LocalSettings,
  "pnpm dev": devSettings(4100),
};
const names = new Set(Object.values(schemas).flatMap(({ shape }) => Object.keys(shape)));

test.each(Object.entries(schemas))(
  "%s takes no setting of another process for a misspelled one",
  (_, schema) => {
    for (const name of names) {
      const read = () => readSettings(schema, { [name]: "x" });
      // Others are missing or invalid.
      if (!(name in schema.shape)) expect(read, name).not.toThrow(/There is no setting/);
    }
  },
);
