import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { repository } from "../env.ts";

const Dashboard = z.object({
  panels: z.array(
    z.object({
      id: z.int(),
      title: z.string(),
      targets: z.array(z.object({ expr: z.string() })).default([]),
    }),
  ),
});

/** The text of a file that operators get. */
export const readDeployFile = (path: string): string =>
  readFileSync(join(repository, "deploy", path), "utf8");

/** Every expression of the dashboard, by its panel. Titles repeat, so the panel's number is part of it. */
export function readPanels(): Map<string, string> {
  const { panels } = Dashboard.parse(JSON.parse(readDeployFile("grafana/querybell.json")));
  return new Map(
    panels.flatMap(({ id, title, targets }) =>
      targets.map(({ expr }, index) => [`panel ${id}, ${title}, line ${index + 1}`, expr] as const),
    ),
  );
}

/** Every expression of the alerts, by the alert. */
export function readAlerts(): Map<string, string> {
  const rules = readDeployFile("prometheus/alerts.yml").split("- alert: ").slice(1);
  return new Map(
    rules.map((rule) => {
      const [, name = ""] = /^(\w+)/.exec(rule) ?? [];
      const [, expr = ""] = /^ +expr: (.+)$/m.exec(rule) ?? [];
      return [`alert ${name}`, expr];
    }),
  );
}
