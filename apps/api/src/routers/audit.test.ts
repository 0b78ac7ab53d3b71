import { describe, expect } from "vitest";
import { apiError } from "../testing/api-error.ts";
import { apiTest } from "../testing/api-test.ts";

describe("the audit log", () => {
  apiTest("gives between one and a hundred entries", async ({ api, make }) => {
    const { audit } = await api.signedIn(await make.owner());
    for (const limit of [0, 101, 1.5, -1]) {
      await expect(audit.list.query({ limit })).rejects.toEqual(apiError("invalid_request"));
    }
  });

  apiTest("is not filtered by a time that ends before it begins", async ({ api, make }) => {
    const { audit } = await api.signedIn(await make.owner());
    const [from, until] = ["2027-01-02T00:00:00Z", "2027-01-01T00:00:00Z"];
    await expect(audit.list.query({ from, until })).rejects.toEqual(apiError("invalid_request", /until/));
  });
});
