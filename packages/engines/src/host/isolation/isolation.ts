/** The ways to keep an engine host apart from everything else, the strongest first. */
export const isolationNames = ["bubblewrap", "user", "namespace", "landlock"] as const;
export type IsolationName = (typeof isolationNames)[number];

/** How to start a host: a program with its arguments, and what it finds in further descriptors. */
export interface HostCommand {
  program: string;
  args: string[];
  /** Content of the descriptors from 4 on, after the standard ones and the channel to the parent. */
  inputs?: Uint8Array[];
}

export interface HostProgram {
  /** All that it sees beside its program, and what is in its workspace. */
  databaseFiles: readonly string[];
  /** The folder that it may write to. Only a host that changes a database has one. */
  workspace?: string | undefined;
  /** Node and its arguments. */
  node: readonly string[];
}

export interface Isolation {
  name: IsolationName | "none";
  /** For the operator: what keeps a host apart. */
  title: string;
  command(program: HostProgram): HostCommand;
}
