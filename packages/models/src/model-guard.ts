import { createGuard, type Network, publicOnly, type Refusal } from "@querybell/guard";

/** Where a model is. */
export interface ModelServer {
  /** The base of the protocol's paths, such as https://models.example.com/v1. */
  url: string;
  name: string;
  apiKey: string | null;
}

type CheckedUrl =
  | { kind: "checked"; url: URL; addresses: readonly string[]; isPublic: boolean }
  | { kind: "refused"; message: string };

export interface ModelGuard {
  /** Parses the URL and checks the addresses of its host. Connect to one of these, never to the name. */
  check(url: string, signal?: AbortSignal): Promise<CheckedUrl>;
}

interface ModelGuardOptions {
  /** The operator's own networks in which models may be. */
  networks: readonly Network[];
  clock: { now(): Date };
}

const refused = (message: string): CheckedUrl => ({ kind: "refused", message });

/** Decides which servers of models may be connected to: public ones over https, and those in the operator's networks. */
export function createModelGuard({ networks, clock }: ModelGuardOptions): ModelGuard {
  const guard = createGuard({ policy: { allowLoopback: false, allowNetworks: networks }, clock });
  const outside = createGuard({ policy: publicOnly, clock });
  return {
    async check(text, signal) {
      if (!URL.canParse(text) || /\s/.test(text))
        return refused("This is not a URL: write it like https://models.example.com/v1.");
      const url = new URL(text);
      if (url.protocol !== "https:" && url.protocol !== "http:") return refused("The URL must use https.");
      if (url.username !== "" || url.password !== "")
        return refused("The URL carries credentials. Give the key by itself.");
      if (url.search !== "" || url.hash !== "")
        return refused("The URL must end with its path, such as /v1.");
      const host = guard.parseHost(url.hostname);
      if (host.kind !== "host") return refused(withHint(host));
      const checked = await guard.check(host, signal);
      if (checked.kind !== "checked") return refused(withHint(checked));
      const known = outside.parseHost(url.hostname);
      const isPublic = known.kind === "host" && (await outside.check(known, signal)).kind === "checked";
      if (url.protocol === "http:" && isPublic) {
        return refused("Plain http is for models in private networks: use https.");
      }
      return { kind: "checked", url, addresses: checked.addresses, isPublic };
    },
  };
}

const withHint = ({ kind, message }: Refusal): string =>
  kind === "refused_address"
    ? `${message} The operator can open a private network with MODEL_NETWORKS.`
    : message;
