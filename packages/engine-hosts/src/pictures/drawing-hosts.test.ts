import { gzipSync } from "node:zlib";
import { shapes } from "@querybell/charts/testing/shapes";
import { afterAll, describe, expect, test } from "vitest";
import { createEngineHosts, type StoredResult } from "../index.ts";
import { resolveAnyHost } from "../testing/resolve-any-host.ts";
import type { DashboardPictureRequest, PictureRequest } from "./picture-request.ts";

const hosts = createEngineHosts({ size: 1, resolveHost: resolveAnyHost, dataFolder: "/nowhere" });
afterAll(() => hosts.close());

const organizationId = "an organization";
const [shape] = shapes;
if (!shape) throw new Error("There are no shapes.");

const stored = (value: unknown): StoredResult => ({
  cut: false,
  async *read() {
    yield gzipSync(JSON.stringify(value));
  },
});

const look: PictureRequest = {
  format: "png",
  visualization: shape.visualization,
  title: "Umsatz – Αθήνα & <b>",
  width: 640,
  scale: 1,
  scheme: "dark",
};

describe("a host", () => {
  test("draws a chart as PNG and as SVG", async () => {
    const png = await hosts.drawPicture({ organizationId, picture: look, result: stored(shape.rows) });
    const bytes = png.kind === "drawn" ? Buffer.from(png.bytes) : Buffer.alloc(0);
    expect(bytes.subarray(1, 4).toString()).toBe("PNG");
    // The width in the header of the file.
    expect(bytes.readUInt32BE(16)).toBe(640);
    // A picture without its texts would be smaller.
    expect(bytes.length).toBeGreaterThan(10_000);

    const picture = { ...look, format: "svg" as const };
    const svg = await hosts.drawPicture({ organizationId, picture, result: stored(shape.rows) });
    const text = svg.kind === "drawn" ? Buffer.from(svg.bytes).toString() : "";
    expect(text).toContain("Umsatz – Αθήνα &amp; &lt;b&gt;");
    expect(text).toContain("Jan 2025");
  });

  test("draws a dashboard, each tile from its result", async () => {
    const chart = { kind: "chart" as const, title: "Umsatz", visualization: shape.visualization, notes: [] };
    const picture: DashboardPictureRequest = {
      ...{ title: "Shop", moment: "As of noon", scheme: "light" },
      ...{ scale: 1, maxHeight: 4000, isCropped: false },
      tabs: [
        {
          title: "Overview",
          tiles: [
            { ...chart, x: 0, y: 0, w: 6, h: 6, result: 0 },
            { ...chart, visualization: null, x: 6, y: 0, w: 6, h: 6, result: 1 },
            { ...chart, x: 0, y: 6, w: 12, h: 6, result: 0 },
          ],
        },
      ],
    };
    const request = { organizationId, picture };
    const results = [stored(shape.rows), stored(shape.rows)];
    const drawn = await hosts.drawDashboard({ ...request, results });
    const bytes = drawn.kind === "drawn" ? Buffer.from(drawn.bytes) : Buffer.alloc(24);
    expect([bytes.subarray(1, 4).toString(), bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual([
      ...["PNG", 1248, 24 + 64 + 12 * 56 - 16 + 24],
    ]);
    const broken = await hosts.drawDashboard({ ...request, results: [stored({ rows: 5 }), stored(5)] });
    expect(broken).toMatchObject({ kind: "failed", failure: { code: "engine_crashed" } });
  });

  test("says that a table has no picture, and why a result cannot be drawn", async () => {
    const table = {
      ...look,
      visualization: { ...look.visualization, type: "table" as const, jsxConfig: "<Table />" },
    };
    expect(await hosts.drawPicture({ organizationId, picture: table, result: stored(shape.rows) })).toEqual({
      kind: "table",
    });
    const broken = await hosts.drawPicture({ organizationId, picture: look, result: stored({ rows: 5 }) });
    expect(broken).toMatchObject({ kind: "failed", failure: { code: "engine_crashed" } });
  });
});
