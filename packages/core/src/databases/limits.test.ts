import { CreateDatabase, type DatabaseLimits } from "@querybell/domain";
import { describe, expect } from "vitest";
import type { Deps } from "../deps.ts";
import { getResult } from "../results/index.ts";
import { runQuery } from "../runs/index.ts";
import { dbTest } from "../testing/db-test.ts";
import { execute } from "../testing/run-states.ts";
import { saveChangedDatabase, saveNewDatabase } from "./index.ts";

const minute = 60_000;
const mebibyte = 1024 ** 2;

const withCeilings = (deps: Deps, ceilings: Partial<DatabaseLimits>): Deps => ({
  ...deps,
  deployment: { ...deps.deployment, ceilings: { ...deps.deployment.ceilings, ...ceilings } },
});

describe("above the operator's ceilings", () => {
  dbTest("limits of a database are refused when they are saved", async ({ deps, make }) => {
    const limited = withCeilings(deps, { timeMs: minute, rows: 100 });
    const owner = await make.owner();
    const connection = await make.connection(owner);
    const create = (limits: Partial<DatabaseLimits>) =>
      saveNewDatabase(limited, owner, CreateDatabase.parse({ name: "Shop", connection, limits }));
    const refusal = {
      name: "AppError",
      code: "invalid_request",
      errors: [
        { path: "limits.timeMs", message: "must be at most 60000" },
        { path: "limits.rows", message: "must be at most 100" },
      ],
    };
    const [tooMuch, allowed] = [
      { timeMs: minute + 1, rows: 101 },
      { timeMs: minute, rows: 100 },
    ];
    await expect(create(tooMuch)).rejects.toMatchObject(refusal);
    const { id, limits } = await create(allowed);
    expect(limits).toMatchObject(allowed);
    await expect(saveChangedDatabase(limited, owner, { id, limits: tooMuch })).rejects.toMatchObject(refusal);
  });

  dbTest("defaults are lowered to them", async ({ deps, make }) => {
    const limited = withCeilings(deps, { memoryBytes: 256 * mebibyte, rows: 7 });
    const owner = await make.owner();
    const connection = await make.connection(owner);
    const { id, limits } = await saveNewDatabase(
      limited,
      owner,
      CreateDatabase.parse({ name: "Shop", connection }),
    );
    expect(limits).toMatchObject({ memoryBytes: 256 * mebibyte, rows: 7, timeMs: 5 * minute });
    const updated = await saveChangedDatabase(limited, owner, { id, limits: { rows: 5 } });
    expect(updated.limits).toMatchObject({ memoryBytes: 256 * mebibyte, rows: 5 });
  });

  dbTest("runs are held to them, whatever was saved before", async ({ deps, make }) => {
    const owner = await make.owner();
    const { id } = await make.query(owner, "SELECT name FROM fruits", { limits: { rows: 50_000 } });
    const run = await runQuery(deps, owner, { id, parameterValues: {} });
    await execute(withCeilings(deps, { rows: 1 }), run.id);
    expect(await getResult(deps, owner, { id })).toMatchObject({ rowCount: 1, cutBy: "rows" });
  });
});
