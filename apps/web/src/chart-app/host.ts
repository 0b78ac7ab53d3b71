/** What the program that shows the chart says about its user. */
export interface HostContext {
  theme?: "light" | "dark";
  locale?: string;
  timeZone?: string;
}

interface HostEvents {
  onContext(changed: HostContext): void;
  /** The answer of the tool, as the server sent it. */
  onResult(answer: unknown): void;
}

const protocolVersion = "2026-01-26";
const initializeId = 1;

/** Begins the conversation with the program. Messages of anybody else are ignored. */
export function connectHost({ onContext, onResult }: HostEvents) {
  // The origin of the program is not known, and nothing secret is sent.
  const send = (message: Record<string, unknown>) => parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
  addEventListener("message", ({ source, data }: MessageEvent<unknown>) => {
    if (source !== parent || !isRecord(data)) return;
    const { id, method, params, result } = data;
    if (method === undefined) {
      if (id !== initializeId || !isRecord(result)) return;
      onContext(toContext(result.hostContext));
      send({ method: "ui/notifications/initialized", params: {} });
    } else if (method === "ui/notifications/tool-result") onResult(params);
    else if (method === "ui/notifications/host-context-changed") onContext(toContext(params));
    else if (id !== undefined) {
      const isKnown = method === "ping" || method === "ui/resource-teardown";
      send({ id, ...(isKnown ? { result: {} } : { error: { code: -32601, message: "Method not found" } }) });
    }
  });
  const appInfo = { name: "querybell-chart", title: "Querybell", version: "1.0.0" };
  send({
    id: initializeId,
    method: "ui/initialize",
    params: { appInfo, appCapabilities: {}, protocolVersion },
  });
  return {
    sendHeight: (height: number) =>
      send({ method: "ui/notifications/size-changed", params: { height: Math.ceil(height) } }),
  };
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function toContext(value: unknown): HostContext {
  if (!isRecord(value)) return {};
  const { theme, locale, timeZone } = value;
  return {
    ...((theme === "light" || theme === "dark") && { theme }),
    ...(typeof locale === "string" && isUsable({ locale }) && { locale }),
    ...(typeof timeZone === "string" && isUsable({ timeZone }) && { timeZone }),
  };
}

function isUsable({ locale, timeZone }: HostContext): boolean {
  try {
    new Intl.DateTimeFormat(locale, { timeZone });
    return true;
  } catch {
    return false;
  }
}
