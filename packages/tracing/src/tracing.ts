import { AsyncLocalStorage } from "node:async_hooks";

/** Never contains a secret, a value of a statement or anything about a person. */
type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

export interface SpanOptions {
  name: string;
  /** `server` answers a request, `consumer` performs work that another process queued, `client` calls another server. */
  kind?: "internal" | "server" | "client" | "consumer";
  attributes?: SpanAttributes;
  /**
   * The span in which this one began, as a W3C `traceparent`: of a request's header or a row. Absent: the active span of
   * this process. Null: there is none, so that a new trace begins.
   */
  parent?: string | null;
}

export interface Span {
  /** The ids of the trace and of this span, in the form of the W3C header. */
  readonly traceparent: string;
  setAttributes(attributes: SpanAttributes): void;
  /** Marks the span as failed, with the code of the failure. */
  fail(code: string): void;
  end(): void;
}

/** Creates and exports spans. */
export interface Tracer {
  startSpan(options: SpanOptions): Span;
}

const active = new AsyncLocalStorage<Span>();
let tracer: Tracer | undefined;

/** Without a tracer, which is the default, all functions here do nothing. */
export function installTracer(installed: Tracer | undefined): void {
  tracer = installed;
}

/** Undefined while tracing is off. The caller must end it. */
export function startSpan(options: SpanOptions): Span | undefined {
  if (!tracer) return undefined;
  const parent = options.parent === undefined ? activeTraceparent() : options.parent;
  return tracer.startSpan({ ...options, parent: parent ?? null });
}

/** The `traceparent` of the active span. Undefined while tracing is off, and outside of spans. */
export const activeTraceparent = (): string | undefined =>
  tracer ? active.getStore()?.traceparent : undefined;

/** Makes a span the active one for everything that `work` starts. */
export const runInSpan = <Result>(span: Span | undefined, work: () => Result): Result =>
  span ? active.run(span, work) : work();

/** Runs the work in a new span. The span fails if the work throws. */
export async function inSpan<Result>(
  options: SpanOptions,
  work: (span: Span | undefined) => Promise<Result>,
): Promise<Result> {
  const span = startSpan(options);
  if (!span) return work(undefined);
  try {
    return await runInSpan(span, () => work(span));
  } catch (error) {
    // Not the message, which may quote a value.
    span.fail(error instanceof Error ? error.name : "error");
    throw error;
  } finally {
    span.end();
  }
}
