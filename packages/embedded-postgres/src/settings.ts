export type Profile = "durable" | "fast";

/** Postgres settings by name, as in postgresql.conf. */
export type Settings = Readonly<Record<string, string>>;

const common: Settings = {
  listen_addresses: "127.0.0.1",
  // No Unix socket: all connections use the password, and a socket's path must be shorter than 108 bytes.
  unix_socket_directories: "",
  timezone: "UTC",
  log_timezone: "UTC",
  max_connections: "100",
  shared_buffers: "128MB",
  // The default is for spinning disks and prefers sequential scans over indexes.
  random_page_cost: "1.1",
  // The clients run on the same few cores. Parallel plans would also need space in /dev/shm, which is small in containers.
  max_parallel_workers_per_gather: "0",
  max_parallel_maintenance_workers: "0",
  io_method: "sync",
  jit: "off",
  // Containers may advertise huge pages that they cannot allocate.
  huge_pages: "off",
  // There are no replicas.
  wal_level: "minimal",
  max_wal_senders: "0",
  max_logical_replication_workers: "0",
  // Errors go to the client. Statements and their values must not be logged.
  log_min_error_statement: "panic",
  log_error_verbosity: "terse",
  log_checkpoints: "off",
};

const profiles: Readonly<Record<Profile, Settings>> = {
  durable: { synchronous_commit: "on" },
  // For data that may be lost.
  fast: {
    fsync: "off",
    full_page_writes: "off",
    synchronous_commit: "off",
    checkpoint_timeout: "1h",
    max_wal_size: "1GB",
    // In the data folder, which is removed: a killed server leaves it behind otherwise.
    dynamic_shared_memory_type: "mmap",
  },
};

export function settingsFor(profile: Profile, own: Settings = {}): Settings {
  return { ...common, ...profiles[profile], ...own };
}
