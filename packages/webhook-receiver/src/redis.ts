import { aString, checkOptions } from "./lib/check-options.ts";
import {
  type Claim,
  type DedupeRetention,
  type DedupeStore,
  earlierKey,
  retentionOf,
  retentionRules,
} from "./lib/dedupe.ts";

/**
 * Sends one command to Redis and returns its reply. ioredis: `(...args) => redis.call(...args)`. node-redis:
 * `(...args) => client.sendCommand(args)`.
 */
export type RedisCommand = (...args: [name: string, ...args: string[]]) => Promise<unknown>;

export interface RedisDedupeOptions extends DedupeRetention {
  /** The prefix of every key in Redis. Default: `webhook:`. */
  prefix?: string;
}

const handled = "handled";

// Each script is atomic and uses one key, so that it works in a cluster too.
const claimKey = `
  local value = redis.call('get', KEYS[1])
  if value then return value end
  redis.call('set', KEYS[1], ARGV[1], 'px', ARGV[2])
  return ARGV[1]`;
const renewKey = `
  if redis.call('get', KEYS[1]) == ARGV[1] then redis.call('pexpire', KEYS[1], ARGV[2]) end`;
const releaseKey = `
  if redis.call('get', KEYS[1]) == ARGV[1] then redis.call('del', KEYS[1]) end`;

/**
 * Remembers handled events in a Redis that all your processes share. It must not lose keys (`appendonly yes`,
 * `maxmemory-policy noeviction`): an event that Redis forgets is handled again.
 */
export function redisDedupe(command: RedisCommand, options: RedisDedupeOptions = {}): DedupeStore {
  checkOptions("redisDedupe", options, { ...retentionRules, prefix: aString });
  if (typeof command !== "function") {
    throw new TypeError("redisDedupe needs a function that sends one command to Redis.");
  }
  const { keepSeconds, leaseSeconds } = retentionOf(options);
  const { prefix = "webhook:" } = options;
  const milliseconds = (seconds: number) => String(Math.ceil(seconds * 1000));
  const evaluate = (script: string, key: string, ...args: string[]) =>
    command("EVAL", script, "1", `${prefix}${key}`, ...args);

  return {
    // Stores that share this function share their keys. Two functions for one Redis are not recognized.
    rows: command,
    renewEverySeconds: leaseSeconds / 3,
    async claim(key): Promise<Claim> {
      // An event that version 0.1 has handled is not handled again.
      const earlier = earlierKey(key);
      const wasHandled =
        earlier !== undefined && textOf(await command("GET", `${prefix}${earlier}`)) === handled;
      if (wasHandled) return { kind: "duplicate" };
      const token = crypto.randomUUID();
      const value = textOf(await evaluate(claimKey, key, token, milliseconds(leaseSeconds)));
      if (value === token) return { kind: "claimed", token };
      if (value !== undefined) return { kind: value === handled ? "duplicate" : "in_progress" };
      throw new TypeError("The Redis command answered no text: pass a function that resolves to the reply.");
    },
    async commit(key) {
      await command("SET", `${prefix}${key}`, handled, "PX", milliseconds(keepSeconds));
    },
    async release(key, token) {
      await evaluate(releaseKey, key, token);
    },
    async renew(key, token) {
      await evaluate(renewKey, key, token, milliseconds(leaseSeconds));
    },
  };
}

/** Clients return strings or bytes. */
function textOf(reply: unknown): string | undefined {
  if (typeof reply === "string") return reply;
  return reply instanceof Uint8Array ? new TextDecoder().decode(reply) : undefined;
}
