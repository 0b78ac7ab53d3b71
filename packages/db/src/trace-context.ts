/**
 * Tables whose rows are worked on by another process have a column `trace_context`, whose default is this setting of the
 * transaction: a row that is inserted in a traced transaction carries the trace on, whichever statement inserts it.
 */
export const setTraceContext = (traceparent: string) => ({
  text: "SELECT set_config('querybell.trace_context', $1, true)",
  values: [traceparent],
});
