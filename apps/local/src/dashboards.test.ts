import { triggerAutomation, watchChat } from "@querybell/core/automations";
import { createEndpoint } from "@querybell/core/webhooks";
import { CreateWebhookEndpoint } from "@querybell/domain";
import { expect, vi } from "vitest";
import { readAlerts, readDeployFile, readPanels } from "./testing/expressions.ts";
import { walkTest } from "./testing/walk-test.ts";

interface Use {
  metric: string;
  /** Names of labels, from a selector or from `by (…)`. */
  labels: string[];
  /** Label and value, where the expression compares with an exact value. */
  values: [string, string][];
}

/**
 * The metrics that an expression reads, and their labels. `by (…)` counts for every metric in it. Prometheus
 * itself adds `up`.
 */
function findUses(expr: string): Use[] {
  const grouped = [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, names = ""]) => names.split(/, */));
  return [...expr.matchAll(/\b((?:querybell|process|nodejs)_\w+|up)\b(?:\{([^}]*)\})?/g)].map(
    ([, metric = "", selector = ""]) => {
      const matchers = [...selector.matchAll(/(\w+)(=~|!=|=)"([^"]*)"/g)];
      const values = matchers.flatMap(([, label = "", operator, value = ""]) =>
        operator === "=~" ? [] : [[label, value] as [string, string]],
      );
      return { metric, labels: [...grouped, ...matchers.map(([, label = ""]) => label)], values };
    },
  );
}

/** Without a series while nothing waits, and without a receiver that has a certificate. Their labels are not checked here. */
const rare = [
  "querybell_organization_oldest_waiting_seconds",
  "querybell_webhook_certificate_expires_in_seconds",
];

/** The labels of each metric, with their values, from the text of `/metrics`. Prometheus itself adds `instance`. */
function readLabels(text: string): Map<string, Map<string, Set<string>>> {
  const found = new Map<string, Map<string, Set<string>>>();
  for (const metric of rare) if (text.includes(`# TYPE ${metric} gauge`)) found.set(metric, new Map());
  for (const [, metric = "", labels = ""] of text.matchAll(/^(\w+)(?:\{(.*)\})? \S+$/gm)) {
    const known = found.get(metric) ?? new Map([["instance", new Set<string>()]]);
    found.set(metric, known);
    for (const [, label = "", value = ""] of labels.matchAll(/(\w+)="([^"]*)"/g)) {
      known.set(label, (known.get(label) ?? new Set()).add(value));
    }
  }
  return found;
}

walkTest(
  "every metric, label and value of the dashboard and of the alerts is in /metrics of the api or the worker",
  async ({ api, worker, make, deps, receiver }) => {
    const owner = await make.owner();
    const { organizationId } = owner;
    await deps.db.prisma.organization.update({
      where: { id: organizationId },
      data: { webhooksEnabled: true },
    });
    const now = deps.clock.now();
    await deps.db.prisma.backup.create({ data: { createdAt: now, bytes: 1, checkedAt: now } });
    const eventTypes = ["automation.run.completed"];
    const settings = CreateWebhookEndpoint.parse({ url: receiver.url, eventTypes });
    const { secret } = await createEndpoint(deps, owner, settings);
    receiver.useSecrets(secret.secret);
    const { id } = await triggerAutomation(deps, owner, await make.automation(owner));
    const { signal } = new AbortController();
    for await (const _ of watchChat(deps, owner, { id, signal }));
    await receiver.until(1);
    // Some metrics have no series before the first call, job or attempt.
    await fetch(`${api.url}/api/queries`);
    await deps.db.pool.query("SELECT graphile_worker.add_job('purge_trials', '{}'::json)");
    const readMetrics = async () => {
      const answers = await Promise.all([fetch(`${api.url}/metrics`), fetch(`${worker.statusUrl}/metrics`)]);
      return readLabels((await Promise.all(answers.map((answer) => answer.text()))).join("\n"));
    };
    await vi.waitUntil(async () => {
      const found = await readMetrics();
      return (
        found.has("querybell_jobs_total") &&
        found.get("querybell_webhook_attempts_total")?.get("outcome")?.has("success")
      );
    });

    const metrics = await readMetrics();
    const jobs = readDeployFile("prometheus/prometheus.yml").matchAll(/job_name: (\S+)/g);
    metrics.set("up", new Map([["job", new Set([...jobs].map(([, name = ""]) => name))]]));
    const expressions = new Map([...readPanels(), ...readAlerts()]);
    expect(expressions.size).toBeGreaterThan(30);
    const wrong = [...expressions].flatMap(([where, expr]) => {
      const uses = findUses(expr);
      if (uses.length === 0) return [`${where}: names no metric`];
      return uses.flatMap(({ metric, labels, values }) => {
        const known = metrics.get(metric);
        if (!known) return [`${where}: there is no ${metric}`];
        if (rare.includes(metric)) return [];
        // The isolation has one series, that of the way in use.
        const isEnumerated = metric !== "querybell_engine_isolation";
        return [
          ...labels
            .filter((label) => !known.has(label))
            .map((label) => `${where}: ${metric} has no ${label}`),
          ...values
            .filter(([label, value]) => isEnumerated && !known.get(label)?.has(value))
            .map(([label, value]) => `${where}: ${metric} has no ${label}="${value}"`),
        ];
      });
    });
    expect(wrong).toEqual([]);
  },
);
