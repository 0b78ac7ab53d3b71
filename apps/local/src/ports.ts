import { once } from "node:events";
import { createServer } from "node:net";
import { StartError, systemCode } from "./start-error.ts";

/** Throws a StartError if the port is in use or not permitted. */
export async function refuseTakenPort(port: number, setting: string): Promise<void> {
  const probe = createServer();
  try {
    probe.listen(port, "127.0.0.1");
    await once(probe, "listening");
  } catch (error) {
    const code = systemCode(error);
    if (code === "EADDRINUSE") {
      throw new StartError(
        `Port ${port} is taken by another program, perhaps another npm start; stop that one, or choose another port with ${setting}=${port + 10} npm start.`,
      );
    }
    if (code === "EACCES") {
      throw new StartError(`You may not use port ${port}; choose one above 1024 with ${setting}.`);
    }
    throw error;
  } finally {
    if (probe.listening) {
      probe.close();
      await once(probe, "close");
    }
  }
}
