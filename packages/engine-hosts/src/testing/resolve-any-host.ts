import { lookup } from "node:dns/promises";
import type { HostResolution } from "../index.ts";

/** Allows every address that a name resolves to: the databases of these tests are on loopback. */
export async function resolveAnyHost(host: string): Promise<HostResolution> {
  try {
    const found = await lookup(host, { all: true });
    return { kind: "resolved", addresses: found.map(({ address }) => address) };
  } catch (error) {
    return { kind: "failed", failure: { code: "database_unreachable", message: String(error) } };
  }
}
