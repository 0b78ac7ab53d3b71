import type { Deps } from "@querybell/core";
import { createMcpCallRecorder } from "@querybell/core/mcp-calls";

interface Call {
  organizationId: string;
  keyId: string;
  tool: string;
}

/** Records a call of a tool over MCP, as the server does. */
export async function recordMcpCall(deps: Deps, call: Call): Promise<void> {
  const failures: unknown[] = [];
  const recorder = createMcpCallRecorder({ ...deps, onError: (error) => failures.push(error) });
  recorder.record({ ...call, errorCode: null, rowCount: 12, durationMs: 40 });
  await recorder.close();
  if (failures.length > 0) throw failures[0];
}
