import { PictureParameters } from "@querybell/domain";
import { describe, expect } from "vitest";
import { runQuery } from "../runs/index.ts";
import { appError } from "../testing/app-error.ts";
import { dbTest } from "../testing/db-test.ts";
import { execute } from "../testing/run-states.ts";
import { createReference, drawReferencePicture, updateReference } from "./index.ts";

const look = { ...PictureParameters.parse({ scheme: "dark" }), format: "svg" as const };
const visualization = {
  type: "bar" as const,
  jsxConfig: '<BarChart><XAxis dataKey="name" /><YAxis /><Bar dataKey="n" /></BarChart>',
  marginConfig: { top: 0, right: 0, bottom: 0, left: 0 },
};

describe("the picture of a chart", () => {
  dbTest("shows the result of the defaults, or of the run that is named", async ({ deps, make }) => {
    const owner = await make.owner();
    const parameters = [
      { name: "who", displayName: "Who", type: "string" as const, description: "", defaultValue: "Ada" },
    ];
    const { id } = await make.query(owner, "SELECT {{who}} AS name, 5 AS n", {
      engine: "duckdb",
      parameters,
    });
    const { shortId } = await createReference(deps, owner, { queryId: id, title: "People", visualization });
    const run = async (parameterValues: Record<string, unknown>) => {
      const made = await runQuery(deps, owner, { id, shortId, parameterValues });
      await execute(deps, made.id);
      return made.id;
    };
    const draw = async (more: { run?: string }) => {
      const { bytes, ...rest } = await drawReferencePicture(deps, owner, { ...look, ...more, shortId });
      return { ...rest, svg: Buffer.from(bytes).toString() };
    };
    await expect(draw({})).rejects.toEqual(appError("result_not_found"));
    const other = await run({ who: "Grace" });
    // Without a result of the defaults, the latest one.
    expect((await draw({})).svg).toContain("Grace");
    await run({});
    expect((await draw({})).svg).toContain("Ada");
    expect(await draw({ run: other })).toMatchObject({
      title: "People",
      svg: expect.stringContaining("Grace"),
    });

    const foreign = await make.query(owner, "SELECT 1 AS n", { engine: "duckdb" });
    const wrong = await runQuery(deps, owner, { id: foreign.id, parameterValues: {} });
    await execute(deps, wrong.id);
    await expect(draw({ run: wrong.id })).rejects.toEqual(appError("not_found"));

    await updateReference(deps, owner, {
      shortId,
      visualization: { ...visualization, type: "table", jsxConfig: "" },
    });
    await expect(draw({})).rejects.toEqual(appError("invalid_request", /CSV/));
    const stranger = await make.owner();
    await expect(drawReferencePicture(deps, stranger, { ...look, shortId })).rejects.toEqual(
      appError("not_found"),
    );
  });
});
