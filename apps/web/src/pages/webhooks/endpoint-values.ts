import type { Endpoint } from "./delivery-labels.ts";

/** The values of the endpoint form. */
export interface EndpointValues {
  url: string;
  description: string;
  eventTypes: Endpoint["eventTypes"];
  headers: { key: string; name: string; value: string }[];
  standardWebhooks: boolean;
  sendsTraceparent: boolean;
  maxInFlight: number;
  /** Empty for no limit. */
  maxPerSecond: number | "";
}

export const emptyEndpoint: EndpointValues = {
  url: "",
  description: "",
  eventTypes: ["automation.run.completed", "automation.run.failed"],
  headers: [],
  standardWebhooks: false,
  sendsTraceparent: false,
  maxInFlight: 32,
  maxPerSecond: "",
};

export const toValues = (endpoint: Endpoint): EndpointValues => ({
  url: endpoint.url,
  description: endpoint.description,
  eventTypes: endpoint.eventTypes,
  headers: Object.entries(endpoint.headers ?? {}).map(([name, value]) => ({ key: name, name, value })),
  standardWebhooks: endpoint.standardWebhooks,
  sendsTraceparent: endpoint.sendsTraceparent,
  maxInFlight: endpoint.maxInFlight,
  maxPerSecond: endpoint.maxPerSecond ?? "",
});

export const toSettings = ({ url, headers, maxPerSecond, ...values }: EndpointValues) => ({
  ...values,
  url: url.trim(),
  headers: Object.fromEntries(
    headers.filter(({ name }) => name.trim() !== "").map(({ name, value }) => [name.trim(), value]),
  ),
  maxPerSecond: maxPerSecond === "" ? null : maxPerSecond,
});
