// Loaded into the api and the worker before their own code (`node --import`). Notes when things happen, by channels that
// Node and undici have for that, and by wrapping the driver; the product has no code for it. Written to a file at the end.
import { subscribe } from "node:diagnostics_channel";
import { writeFileSync } from "node:fs";
import pg from "pg";
import { monotonicMs } from "../measuring/measuring.ts";
import type { Moment, MomentName } from "./moments.ts";

const moments: Moment[] = [];
const note = (name: MomentName, id?: string) => void moments.push({ name, id, at: monotonicMs() });

/** Statements by name, when they are sent and answered. */
const statements: Record<string, { sent: MomentName; answered?: MomentName }> = {
  end_claimed_run: { sent: "end sent", answered: "end committed" },
  publish_notices: { sent: "notice sent" },
  claim_webhook_deliveries: { sent: "claim sent", answered: "claim answered" },
};

interface NamedQuery {
  name?: string;
  values?: unknown[];
}

const { query } = pg.Client.prototype;
pg.Client.prototype.query = function (this: pg.Client, config: NamedQuery, ...rest: unknown[]) {
  const statement = statements[config?.name ?? ""];
  if (!statement) return Reflect.apply(query, this, [config, ...rest]);
  const id = String(config.values?.[0]);
  note(statement.sent, id);
  const answered = () => {
    if (statement.answered) note(statement.answered, id);
  };
  const callback = rest.at(-1);
  if (typeof callback !== "function") {
    const result = Reflect.apply(query, this, [config, ...rest]);
    result.then(answered, answered);
    return result;
  }
  const noteAndCall = (...results: unknown[]) => {
    answered();
    callback(...results);
  };
  return Reflect.apply(query, this, [config, ...rest.slice(0, -1), noteAndCall]);
} as typeof query;

const { emit } = pg.Client.prototype;
pg.Client.prototype.emit = function (this: pg.Client, name: string, ...values: unknown[]) {
  if (name === "notification") note("notice received");
  return Reflect.apply(emit, this, [name, ...values]);
} as typeof emit;

subscribe("http.server.request.start", () => note("request read"));
subscribe("undici:client:sendHeaders", (message) => {
  const { headers } = message as { headers: string };
  note("webhook sent", /svc-webhook-id: (\S+)/i.exec(headers)?.[1]);
});

process.on("exit", () => writeFileSync(String(process.env.MOMENTS_FILE), JSON.stringify(moments)));
