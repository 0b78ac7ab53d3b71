export {
  activeTraceparent,
  inSpan,
  installTracer,
  runInSpan,
  type Span,
  type SpanOptions,
  startSpan,
  type Tracer,
} from "./tracing.ts";
