// pnpm bench pictures: a PNG of a chart of 1,000 points, drawn in an engine host from a stored result, as the api does it.
import { monitorEventLoopDelay } from "node:perf_hooks";
import { thousandPoints } from "@querybell/charts/testing/shapes";
import { createQuery } from "@querybell/core/queries";
import { createReference, drawReferencePicture } from "@querybell/core/references";
import { type Caller, PictureParameters } from "@querybell/domain";
import { seedDemo } from "../../apps/local/src/demo/seed-demo.ts";
import { median, monotonicMs, printFigures } from "./measuring/measuring.ts";
import { complete, openInstallation } from "./web/installation.ts";

const warmUps = 5;
const measured = 60;
const atOnce = 4;

const sql = `SELECT (DATE '2024-01-01' + i::INTEGER)::DATE AS day, 5000 + (i * 7919) % 900 + 0.25 AS revenue,
  100 + (i * 104729) % 90 AS orders FROM range(1000) t(i)`;

await using opened = new AsyncDisposableStack();
const { deps, duckdbFolder } = await openInstallation(opened, "http://localhost");
await seedDemo(deps, { duckdbFolder, receiverUrl: "http://127.0.0.1:9/", key: undefined });
const demo = await deps.db.prisma.queryReference.findFirstOrThrow({
  where: { title: "Revenue by month" },
  include: { query: true },
});
const caller: Caller = {
  organizationId: demo.organizationId,
  userId: demo.createdBy,
  role: "owner",
  via: { kind: "session", sessionId: demo.createdBy },
};
const analyticalDatabaseConfigId = demo.query?.analyticalDatabaseConfigId ?? "";
const query = await createQuery(deps, caller, { sql, analyticalDatabaseConfigId });
const { shortId } = await createReference(deps, caller, {
  queryId: query.id,
  title: "Revenue and orders by day",
  visualization: thousandPoints.visualization,
});
await complete(deps, caller, query.id);

const draw = async () => {
  const startedAt = monotonicMs();
  const { bytes } = await drawReferencePicture(deps, caller, {
    ...PictureParameters.parse({}),
    shortId,
    format: "png",
  });
  if (bytes.length < 10_000) throw new Error("The picture is empty.");
  return monotonicMs() - startedAt;
};
for (let count = 0; count < warmUps; count++) await draw();

const loop = monitorEventLoopDelay({ resolution: 1 });
loop.enable();
const times: number[] = [];
for (let count = 0; count < measured; count++) times.push(await draw());
const startedAt = monotonicMs();
const loops = Array.from({ length: atOnce }, async () => {
  for (let count = 0; count < measured / atOnce; count++) await draw();
});
await Promise.all(loops);
const seconds = (monotonicMs() - startedAt) / 1000;
loop.disable();

printFigures("pictures", {
  ms: median(times).toFixed(0),
  rate_per_s: (measured / seconds).toFixed(1),
  loop_block_ms: (loop.max / 1e6).toFixed(1),
});
