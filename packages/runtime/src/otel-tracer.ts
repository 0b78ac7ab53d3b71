import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { resourceFromAttributes } from "@opentelemetry/resources";
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import type { Span, Tracer } from "@querybell/tracing";

interface OtelOptions {
  /** The base URL of a collector: spans are sent to `/v1/traces` under it. */
  endpoint: string;
  /** The share of traces that are recorded, from 0 to 1. Traces of callers keep the decision of the caller. */
  ratio: number;
  service: string;
}

const kinds = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  consumer: SpanKind.CONSUMER,
};

/**
 * Exports spans by OTLP over HTTP. The provider is not registered globally: libraries that bring their own spans would
 * export values that we do not know.
 */
export function createOtelTracer({ endpoint, ratio, service }: OtelOptions): Tracer & {
  flush(): Promise<void>;
  stop(): Promise<void>;
} {
  const exporter = new OTLPTraceExporter({ url: `${endpoint.replace(/\/$/, "")}/v1/traces` });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ "service.name": service }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) }),
    spanProcessors: [new BatchSpanProcessor({ exporter })],
  });
  const tracer = provider.getTracer("querybell");
  return {
    startSpan({ name, kind = "internal", attributes = {}, parent }): Span {
      const span = tracer.startSpan(name, { kind: kinds[kind], attributes }, toContext(parent));
      const { traceId, spanId, traceFlags } = span.spanContext();
      return {
        traceparent: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, "0")}`,
        setAttributes: (more) => void span.setAttributes(more),
        fail: (code) => void span.setStatus({ code: SpanStatusCode.ERROR, message: code }),
        end: () => span.end(),
      };
    },
    flush: () => provider.forceFlush(),
    stop: () => provider.shutdown(),
  };
}

/** The context of another process, from its `traceparent`. */
function toContext(traceparent: string | null | undefined) {
  const [, traceId = "", spanId = "", flags = "00"] = traceparent?.split("-") ?? [];
  const context = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
  return trace.setSpanContext(ROOT_CONTEXT, context);
}
