/** The isolation methods of engine hosts, the strongest first. */
export const isolationNames = ["bubblewrap", "user", "namespace", "landlock"] as const;
export type IsolationName = (typeof isolationNames)[number];

/** Pipes and other kernel objects take memory that the parent does not see, so their number is limited. */
export const maxOpenFiles = 128;

/** The command that starts a host. */
export interface HostCommand {
  program: string;
  args: string[];
  /** Contents of the file descriptors after those of the host; see `descriptors.ts`. */
  inputs?: Uint8Array[];
  /** What it adds to the environment of the program. */
  environment?: Record<string, string>;
}

export interface HostProgram {
  /** The only files that it sees beside its program. */
  databaseFiles: readonly string[];
  /** The folder that it may write to. Only a host that changes a database has one. */
  workspace?: string | undefined;
  /** Node and its arguments. */
  node: readonly string[];
  /** A filled compile cache; see `fillCompileCache`. */
  compileCache?: string | undefined;
}

export interface Isolation {
  name: IsolationName | "none";
  /** A description for the operator. */
  title: string;
  command(program: HostProgram): HostCommand;
}
