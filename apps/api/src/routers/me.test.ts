import { describe, expect } from "vitest";
import { apiTest } from "../testing/api-test.ts";

describe("a profile", () => {
  apiTest("takes another name, and refuses an empty one", async ({ api, make }) => {
    const owner = await make.owner();
    const client = await api.signedIn(owner);
    await client.me.updateProfile.mutate({ name: " Ada Lovelace " });
    expect((await client.me.get.query()).user.name).toBe("Ada Lovelace");
    await expect(client.me.updateProfile.mutate({ name: " " })).rejects.toThrow("must not be empty");
  });
});
