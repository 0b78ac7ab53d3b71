import { installTracer } from "@querybell/tracing";
import type { SharedSettings } from "./settings.ts";

type TracingSettings = Pick<SharedSettings, "OTEL_EXPORTER_OTLP_ENDPOINT" | "OTEL_TRACES_SAMPLER_ARG">;

interface Tracing {
  /** Sends the spans that have ended. */
  flush(): Promise<void>;
  /** Sends the spans that have ended, and records no more. */
  stop(): Promise<void>;
}

/** Records traces, if the operator has named a collector. Otherwise the libraries for it are not even loaded. */
export async function startTracing(settings: TracingSettings, app: "api" | "worker"): Promise<Tracing> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_TRACES_SAMPLER_ARG: ratio } = settings;
  if (endpoint === undefined) return { flush: async () => {}, stop: async () => {} };
  const { createOtelTracer } = await import("./otel-tracer.ts");
  const tracer = createOtelTracer({ endpoint, ratio, service: `querybell-${app}` });
  installTracer(tracer);
  return {
    flush: tracer.flush,
    async stop() {
      installTracer(undefined);
      // A collector that is gone must not keep the process from stopping.
      await tracer.stop().catch(() => {});
    },
  };
}
