import { recordProcess } from "@querybell/core/operations";
import { newId } from "@querybell/domain";
import { expect } from "vitest";
import { expectAccessible } from "../testing/expect-accessible.ts";
import { walkTest } from "../testing/walk-test.ts";

walkTest(
  "a deployment's admin sees what to do on the page Operations, and an owner does not see the page",
  async ({ visit, make, deps }) => {
    const operator = await make.user({ email: "operator@deployment.test" });
    const owner = await make.owner();
    const startedAt = new Date();
    const disk = { freeBytes: 6 * 1024 ** 3, sizeBytes: 100 * 1024 ** 3 };
    const process = { id: newId(deps.clock), kind: "api", version: "0.1.0", host: "one" } as const;
    await recordProcess(deps, { ...process, startedAt, disk });

    // Somebody without an organization opens it, too.
    const page = await visit({ as: operator, path: "/account" });
    await page.getByRole("link", { name: "Operations" }).click();
    await page.getByRole("heading", { name: "What to do" }).waitFor();
    const problems = page.getByRole("list", { name: "What to do" });
    await problems.getByText("No worker is alive").waitFor();
    await problems.getByText("Start a worker, and read the log of the last one.").waitFor();
    await problems.getByText("The disk of DUCKDB_FOLDER on one has less than 10 % free").waitFor();
    await page.getByText("api on one").waitFor();
    await page.getByText("6 GiB of 100 GiB free").waitFor();
    await expectAccessible(page);

    const others = await visit({ as: owner, path: "/operations" });
    await others.getByText("Only admins of this deployment can open this page.").waitFor();
    expect(await others.getByRole("link", { name: "Operations" }).count()).toBe(0);
    const answer = await others.request.get("/api/trpc/operations.get");
    expect(answer.status()).toBe(403);
  },
);
