import { dbTest } from "@querybell/core/testing";
import { expect } from "vitest";
import { fuzz } from "./testing/fuzz/fuzz.ts";
import { readFuzzSettings } from "./testing/fuzz/settings.ts";

dbTest(
  "no generated call makes the api fail, hang, answer without a sentence, or touch another organization",
  async ({ deps, make, duckdbFolder, settings }) => {
    const { failures, calls } = await fuzz({
      deps,
      make,
      duckdbFolder,
      ...readFuzzSettings(),
      settings: {
        ...Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, String(value)])),
        RATE_LIMIT_PER_MINUTE: "1000000",
        TRUSTED_PROXIES: "127.0.0.1",
        WEB_FOLDER: "",
      },
      print: console.log,
    });
    expect(failures).toEqual([]);
    expect(calls).toBeGreaterThan(0);
  },
);
