import { createServer, type Socket } from "node:net";
import { createInterface } from "node:readline";

/** A real SMTP server on loopback that stores the mails it receives. */
export async function startMailServer() {
  const mails: string[] = [];
  const arrivals: (() => void)[] = [];
  const sockets = new Set<Socket>();
  const connected = Promise.withResolvers<void>();
  let greeting = Promise.withResolvers<void>();
  greeting.resolve();
  const server = createServer(async (socket) => {
    sockets.add(socket);
    connected.resolve();
    await greeting.promise;
    const say = (line: string) => socket.write(`${line}\r\n`);
    let body: string[] | undefined;
    say("220 test");
    createInterface({ input: socket }).on("line", (line) => {
      if (body && line === ".") {
        mails.push(body.join("\n"));
        body = undefined;
        for (const arrived of arrivals.splice(0)) arrived();
        say("250 kept");
      } else if (body) body.push(line);
      else if (line === "DATA") {
        body = [];
        say("354 go on");
      } else say(line === "QUIT" ? "221 bye" : "250 ok");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (typeof address !== "object" || !address) throw new Error("The mail server has no port.");
  return {
    url: `smtp://127.0.0.1:${address.port}`,
    /** Resolves when a client has connected. */
    connected: connected.promise,
    /** Stops greeting new clients until `resume`. */
    pause() {
      greeting = Promise.withResolvers();
    },
    resume: () => greeting.resolve(),
    async nextMail(): Promise<string> {
      while (mails.length === 0) await new Promise<void>((resolve) => arrivals.push(resolve));
      return mails.shift() ?? "";
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
