import { Socket } from "node:net";
import { EngineError } from "@querybell/engines";
import { Channel } from "./channel/channel.ts";
import { fitsChannel } from "./channel/message-limits.ts";
import { type SendReport, TaskExecution } from "./execute-task.ts";
import { messageDescriptor } from "./isolation/isolation.ts";
import { HostRequest, SocketNote } from "./messages.ts";

// The parent is trusted: only a frame that cannot be allocated is refused.
const limits = { documentBytes: 2 ** 30, attachmentBytes: 2 ** 30 };

/** A host must not outlive its parent, whatever a driver's threads do, so it kills itself. */
function endProcess(): never {
  process.kill(process.pid, "SIGKILL");
  // The first process of a PID namespace ignores signals from itself.
  return process.abort();
}

/**
 * The entry point of an engine host: a process without the environment of its parent that executes one task at a time
 * for its parent.
 */
async function serveParent(): Promise<void> {
  const messages = new Socket({ fd: messageDescriptor, readable: true, writable: true });
  messages.once("close", endProcess);
  const channel = new Channel(messages, {
    limits,
    maxUnreadBytes: Infinity,
    onFrame: (document, attachment) =>
      receive(HostRequest.parse(JSON.parse(document.toString())), attachment),
    onViolation: endProcess,
  });

  const report: SendReport = async (message, attachment) => {
    const document = JSON.stringify(message);
    if (!fitsChannel(document)) {
      throw new EngineError("result_too_large", "The answer is too large. Ask for less of it.");
    }
    await channel.send(document, attachment);
  };

  let running: TaskExecution | undefined;
  let organizationId: string | undefined;

  function receive(request: HostRequest, attachment: Buffer): void {
    switch (request.kind) {
      case "no_connection":
        if (running?.id === request.id) running.refuseConnection(request.error);
        return;
      case "cancel":
        if (running?.id === request.id) void running.cancel();
        return;
      case "input":
        if (running?.id === request.id) running.inputs.add(request.position, attachment);
        return;
      case "input_end":
        if (running?.id === request.id) running.inputs.end();
        return;
    }
    organizationId ??= request.organizationId;
    if (request.organizationId !== organizationId)
      throw new Error("This host belongs to another organization.");
    // The parent sends the next task only after "idle".
    running = new TaskExecution(request, report);
    void running.start();
  }

  process.on("message", (note, handle) => {
    const { id } = SocketNote.parse(note);
    if (!(handle instanceof Socket)) return;
    if (running?.id === id) running.addConnection(handle);
    else handle.destroy();
  });

  await report({ kind: "ready" });
}

// fill-compile-cache.ts imports this file, too.
if (import.meta.main) await serveParent();
