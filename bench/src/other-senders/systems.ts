import { randomUUID } from "node:crypto";
import { z } from "zod";

interface Api {
  call(method: "PUT" | "POST", path: string, body: object): Promise<unknown>;
  /** Convoy's project. */
  project: string;
  urls: string[];
}

export interface OtherSender {
  /** Resolves when the system has taken the event in. */
  send(endpoint: number, payload: object): Promise<void>;
}

const Identified = z.object({ id: z.string() });
const ConvoyAnswer = z.object({ data: z.object({ uid: z.string() }) });
const eventType = "automation.run.completed";

/** Svix: an application for each endpoint, as for each customer. */
async function openSvix({ call, urls }: Api): Promise<OtherSender> {
  const applications: string[] = [];
  for (const url of urls) {
    const { id } = Identified.parse(await call("POST", "/api/v1/app", { name: "Bench" }));
    await call("POST", `/api/v1/app/${id}/endpoint`, { url });
    applications.push(id);
  }
  return {
    async send(endpoint, payload) {
      await call("POST", `/api/v1/app/${applications[endpoint]}/msg`, { eventType, payload });
    },
  };
}

/** Outpost: a tenant with one destination for each endpoint. */
async function openOutpost({ call, urls }: Api): Promise<OtherSender> {
  const tenants: string[] = [];
  for (const url of urls) {
    const tenant = randomUUID();
    await call("PUT", `/api/v1/tenants/${tenant}`, {});
    await call("POST", `/api/v1/tenants/${tenant}/destinations`, {
      type: "webhook",
      topics: "*",
      config: { url },
    });
    tenants.push(tenant);
  }
  return {
    async send(endpoint, payload) {
      await call("POST", "/api/v1/publish", {
        tenant_id: tenants[endpoint],
        topic: eventType,
        data: payload,
      });
    },
  };
}

/** Convoy: an endpoint and a subscription to it. */
async function openConvoy({ call, urls, project }: Api): Promise<OtherSender> {
  const base = `/api/v1/projects/${project}`;
  const endpoints: string[] = [];
  for (const url of urls) {
    const { data } = ConvoyAnswer.parse(
      await call("POST", `${base}/endpoints`, { url, name: randomUUID(), secret: randomUUID() }),
    );
    await call("POST", `${base}/subscriptions`, { name: randomUUID(), endpoint_id: data.uid });
    endpoints.push(data.uid);
  }
  return {
    async send(endpoint, payload) {
      await call("POST", `${base}/events`, {
        endpoint_id: endpoints[endpoint],
        event_type: eventType,
        data: payload,
      });
    },
  };
}

export const systems = { svix: openSvix, outpost: openOutpost, convoy: openConvoy };

export function isSystem(name: string): name is keyof typeof systems {
  return Object.hasOwn(systems, name);
}
