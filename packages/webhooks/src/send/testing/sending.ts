import { createGuard, parseNetworks } from "@querybell/guard";
import { type Answer, startNameServer } from "@querybell/guard/testing";
import { parseSecret } from "../../secrets.ts";
import { createRecipient } from "../recipient.ts";
import { createSender, type SenderOptions } from "../sender.ts";

const key = parseSecret(`whsec_${Buffer.alloc(32, 7).toString("base64")}`);
export const event = { id: "evt_1", body: Buffer.from('{"id":"evt_1","note":"é"}') };

interface Options extends Pick<SenderOptions, "ca" | "maxIdleConnections"> {
  zone?: Record<string, Answer>;
  /** Loopback addresses that stand for the internet; the rest of loopback stays refused. */
  internet?: string;
  allowLoopback?: boolean;
}

/** A guard and a sender with a name server and a clock that the test controls. */
export async function startSending({
  zone = {},
  internet = "",
  allowLoopback = false,
  ...options
}: Options = {}) {
  const names = await startNameServer(zone);
  let now = Date.parse("2026-01-01T00:00:00Z");
  const clock = { now: () => new Date(now) };
  const policy = { allowLoopback, allowNetworks: parseNetworks(internet) };
  const guard = createGuard({ policy, clock, servers: [names.address] });
  const certificates: { host: string; expiresAt: Date }[] = [];
  const onCertificate = (host: string, expiresAt: Date) => void certificates.push({ host, expiresAt });
  const sender = createSender({ guard, clock, onCertificate, ...options });
  return {
    names,
    /** When the certificates of new connections end. */
    certificates,
    close: () => sender.close(),
    pass(seconds: number) {
      now += seconds * 1000;
    },
    post(url: string, settings: Partial<Parameters<typeof createRecipient>[0]> = {}) {
      const recipient = createRecipient(
        { url, headers: {}, standardWebhooks: false, sendsTraceparent: false, ...settings },
        guard,
      );
      return sender.send(recipient, [key], event);
    },
    async [Symbol.asyncDispose]() {
      sender.close();
      await names[Symbol.asyncDispose]();
    },
  };
}
