import { once } from "node:events";
import { createServer } from "node:net";
import { type LaunchCommand, StartError, systemCode } from "./start-error.ts";

/** Throws a StartError if a port is in use or not permitted, or two are the same. */
export async function requireFreePorts(ports: Record<string, number>, command: LaunchCommand): Promise<void> {
  const settings = Object.keys(ports);
  if (new Set(Object.values(ports)).size < settings.length) {
    throw new StartError(
      `${settings.slice(0, -1).join(", ")} and ${settings.at(-1)} must be different ports.`,
    );
  }
  for (const [setting, port] of Object.entries(ports)) {
    await requireFreePort(port, (other) => `${setting}=${other} ${command}`);
  }
}

async function requireFreePort(port: number, commandWith: (port: number) => string): Promise<void> {
  const probe = createServer();
  try {
    probe.listen(port, "127.0.0.1");
    await once(probe, "listening");
  } catch (error) {
    const code = systemCode(error);
    if (code === "EADDRINUSE") {
      throw new StartError(
        `Port ${port} is taken by another program, perhaps another npm start or pnpm dev; stop that one, or choose another port with ${commandWith(port + 10)}.`,
      );
    }
    if (code === "EACCES") {
      throw new StartError(
        `You may not use port ${port}; choose one above 1024, such as ${commandWith(4100)}.`,
      );
    }
    throw error;
  } finally {
    if (probe.listening) {
      probe.close();
      await once(probe, "close");
    }
  }
}
