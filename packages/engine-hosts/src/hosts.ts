import { totalmem } from "node:os";
import { type DatabaseFiles, noFiles } from "./database-files.ts";
import { EngineHost, type HostExit } from "./engine-host.ts";
import type { Isolation } from "./isolation/isolation.ts";

// Starting a host takes a quarter of a second of CPU time or more, so idle hosts are worth this part of the memory.
const defaultIdleBytes = Math.min(totalmem(), process.constrainedMemory() || Infinity) / 16;

export interface HostsOptions {
  /** The isolation method of hosts; called before each start, so it must be cached. */
  isolation: () => Promise<Isolation>;
  graceMs: number;
  /** This many hosts are kept, however much memory idle ones take. */
  leastHosts: number;
  /** How long an idle host is kept. Default: 5 minutes. */
  idleMs?: number | undefined;
  /** How much memory idle hosts may take before another organization's host replaces one. */
  idleBytes?: number | undefined;
  /** Whether a spare host is started in advance for the next organization that needs one. */
  keepsSpareHost?: boolean | undefined;
  onUnexpectedExit: (exit: HostExit) => void;
}

/** What a host may be used for. */
interface HostUse {
  organizationId: string;
  files: DatabaseFiles;
}

/** A host for one task. */
interface AcquiredHost {
  host: EngineHost;
  /** To be called when the task has ended. */
  release(reusable: boolean): void;
}

/**
 * The hosts of this process. They are started on demand, reused, and replaced when they die or were used for long. A host
 * belongs to one organization and sees the files of one database for as long as it lives. Idle hosts are evicted after a
 * while, or for a host of another organization, when idle ones take more memory than they may.
 *
 * The spare host has had no task and sees no files. An organization whose first task needs no files gets it instead of
 * waiting for a start.
 */
export class Hosts {
  readonly #options: HostsOptions & { idleMs: number; idleBytes: number };
  /** All hosts but the spare one, each with the organization and files that it may be used for. */
  readonly #hosts = new Map<EngineHost, string>();
  /** Hosts without a task, longest idle first, with the timers that evict them. */
  readonly #idle = new Map<EngineHost, NodeJS.Timeout>();
  #spare: { host: EngineHost; timer: NodeJS.Timeout } | undefined;
  #closed = false;

  constructor(options: HostsOptions) {
    const { idleMs = 300_000, idleBytes = defaultIdleBytes } = options;
    this.#options = { ...options, idleMs, idleBytes };
  }

  /** Undefined once the hosts are closed. */
  async acquire({ organizationId, files }: HostUse): Promise<AcquiredHost | undefined> {
    const isolation = await this.#options.isolation();
    if (this.#closed) return undefined;
    const use = `${organizationId} ${files.identity}`;
    const idle = [...this.#idle.keys()].findLast((host) => this.#hosts.get(host) === use);
    if (idle) {
      clearTimeout(this.#idle.get(idle));
      this.#idle.delete(idle);
      return { host: idle, release: (reusable) => this.#release(idle, reusable) };
    }
    this.#makeRoom();
    const mayUseSpare = files.paths.length === 0 && files.workspace === undefined;
    const host = (mayUseSpare && this.#removeSpare()) || this.#start(isolation, files);
    this.#hosts.set(host, use);
    return {
      host,
      release: (reusable) => {
        this.#release(host, reusable);
        // Not earlier: the start would take CPU time from the task.
        if (mayUseSpare) this.#startSpare(isolation);
      },
    };
  }

  /** Ends a host, which may have a task. */
  stop(host: EngineHost): Promise<void> {
    this.#remove(host);
    return host.stop();
  }

  /** Ends all hosts. Their tasks fail. */
  async close(): Promise<void> {
    this.#closed = true;
    const spare = this.#removeSpare();
    const hosts = [...this.#hosts.keys(), ...(spare ? [spare] : [])];
    await Promise.all(hosts.map((host) => this.stop(host)));
  }

  #makeRoom(): void {
    const [longestIdle] = this.#idle.keys();
    if (!longestIdle || this.#hosts.size < this.#options.leastHosts) return;
    const bytes = this.#idle.keys().reduce((sum, host) => sum + host.privateBytes, 0);
    if (bytes >= this.#options.idleBytes) void this.stop(longestIdle);
  }

  #start(isolation: Isolation, { paths: databaseFiles, workspace }: DatabaseFiles): EngineHost {
    const host = new EngineHost({ isolation, databaseFiles, workspace, graceMs: this.#options.graceMs });
    void host.exit.then((exit) => {
      if (this.#spare?.host === host) this.#removeSpare();
      this.#remove(host);
      if (!host.wasStopped) this.#options.onUnexpectedExit(exit);
    });
    return host;
  }

  #startSpare(isolation: Isolation): void {
    if (!this.#options.keepsSpareHost || this.#closed || this.#spare) return;
    const host = this.#start(isolation, noFiles);
    const timer = setTimeout(() => void this.#removeSpare()?.stop(), this.#options.idleMs).unref();
    this.#spare = { host, timer };
  }

  #removeSpare(): EngineHost | undefined {
    const spare = this.#spare;
    clearTimeout(spare?.timer);
    this.#spare = undefined;
    return spare?.host;
  }

  #release(host: EngineHost, reusable: boolean): void {
    if (!reusable || this.#closed) return void this.stop(host);
    const timer = setTimeout(() => void this.stop(host), this.#options.idleMs).unref();
    this.#idle.set(host, timer);
  }

  #remove(host: EngineHost): void {
    clearTimeout(this.#idle.get(host));
    this.#idle.delete(host);
    this.#hosts.delete(host);
  }
}
