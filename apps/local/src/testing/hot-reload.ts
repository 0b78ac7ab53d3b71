import { once } from "node:events";
import { z } from "zod";

const Message = z.discriminatedUnion("type", [
  z.object({ type: z.literal("connected") }),
  z.object({ type: z.literal("update"), updates: z.object({ path: z.string() }).array() }),
]);
type Message = z.infer<typeof Message>;

/** Opens the connection on which Vite tells a page what has changed, as its client does. */
export async function openHotReload(url: string) {
  const client = await (await fetch(`${url}/@vite/client`)).text();
  const token = /wsToken = "([\w-]+)"/.exec(client)?.[1];
  const socket = new WebSocket(`${url.replace("http", "ws")}/?token=${token}`, "vite-hmr");
  const next = async (): Promise<Message> => {
    const [event] = await once(socket, "message");
    return Message.parse(JSON.parse(event.data));
  };
  return { connected: await next(), next, close: () => socket.close() };
}
