import { Socket } from "node:net";
import { HostRequest } from "./messages.ts";
import { type Report, RunningTask } from "./perform-task.ts";

/**
 * The entry point of an engine host: a process without the environment of its parent that performs one task at a time for its
 * parent. It must not outlive its parent, whatever a driver's threads do, so it kills itself.
 */
process.on("disconnect", () => {
  process.kill(process.pid, "SIGKILL");
  // The first process of a PID namespace ignores signals from itself.
  process.abort();
});

const report: Report = (message) =>
  new Promise((resolve, reject) => {
    process.send?.(message, (error: Error | null) => (error ? reject(error) : resolve()));
  });

let running: RunningTask | undefined;
let organizationId: string | undefined;

process.on("message", (message, handle) => {
  const request = HostRequest.parse(message);
  if (request.kind === "connection") {
    const socket = handle instanceof Socket ? handle : undefined;
    if (running?.id === request.id) running.addConnection(socket, request.error);
    else socket?.destroy();
    return;
  }
  if (request.kind === "cancel") {
    if (running?.id === request.id) void running.cancel();
    return;
  }
  if (request.kind === "input" || request.kind === "input_end") {
    if (running?.id !== request.id) return;
    if (request.kind === "input") running.inputs.add(request.position, request.bytes);
    else running.inputs.end();
    return;
  }
  organizationId ??= request.organizationId;
  if (request.organizationId !== organizationId)
    throw new Error("This host belongs to another organization.");
  // The parent sends the next task only after "idle".
  running = new RunningTask(request, report);
  void running.perform();
});

await report({ kind: "ready" });
