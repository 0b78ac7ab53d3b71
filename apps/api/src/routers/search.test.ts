import { describe, expect } from "vitest";
import { apiError } from "../testing/api-error.ts";
import { apiTest } from "../testing/api-test.ts";

describe("search", () => {
  apiTest("takes long texts, and refuses one that no database stores", async ({ api, make }) => {
    const client = await api.signedIn(await make.owner());
    for (const text of ["x".repeat(3000), "a ".repeat(1500), "😀".repeat(500)]) {
      expect(await client.search.find.query({ text })).toEqual({ items: [] });
    }
    await expect(client.search.find.query({ text: "a\0b" })).rejects.toEqual(apiError("invalid_request"));
  });

  apiTest("is for people, not for keys", async ({ api, make, makeKey }) => {
    const { key } = await makeKey(await make.owner());
    await expect(api.withKey(key).search.find.query({ text: "a" })).rejects.toEqual(apiError("forbidden"));
  });
});
