import { closeSync, constants, openSync, statSync } from "node:fs";
import { call } from "./linux.ts";

const [createRuleset, addRule, restrictSelf] = [444, 445, 446];
const versionFlag = 1;
const pathRule = 1;
const openForPath = 0o10000000;

// linux/landlock.h: all file rights, by ABI version.
const [executeFile, writeFile, readFile, readFolder] = [1, 2, 4, 8];
const [removeFile, makeFile, truncateFile] = [0x20, 0x100, 0x4000];
const fileRights = [0x1fff, 0x3fff, 0x7fff, 0x7fff, 0xffff];
const networkRights = 3;
const scopes = 3;

/** The Landlock ABI version of the kernel; throws if it has no Landlock. */
const landlockVersion = (): number => call("Landlock", createRuleset, null, 0, versionFlag);

/**
 * Restricts this thread, and the program it executes, to reading and executing these paths, and to writing, creating and
 * deleting files in the workspace. With a new enough kernel it also cannot use TCP, nor reach other processes by signals
 * or abstract sockets.
 */
export function allowOnly(paths: string[], workspace?: string): void {
  const version = landlockVersion();
  const attributes = Buffer.alloc(version >= 6 ? 24 : version >= 4 ? 16 : 8);
  const handledRights = fileRights[Math.min(version, fileRights.length) - 1] ?? 0;
  attributes.writeBigUInt64LE(BigInt(handledRights), 0);
  if (version >= 4) attributes.writeBigUInt64LE(BigInt(networkRights), 8);
  if (version >= 6) attributes.writeBigUInt64LE(BigInt(scopes), 16);
  const ruleset = call("Landlock ruleset", createRuleset, attributes, attributes.length, 0);
  const allow = (path: string, rights: number) => {
    const descriptor = openSync(path, openForPath | constants.O_RDONLY);
    const rule = Buffer.alloc(12);
    // The kernel refuses rights that its version does not know.
    rule.writeBigUInt64LE(BigInt(rights & handledRights), 0);
    rule.writeInt32LE(descriptor, 8);
    call(`Landlock rule for ${path}`, addRule, ruleset, pathRule, rule, 0);
    closeSync(descriptor);
  };
  for (const path of paths) {
    allow(path, executeFile | readFile | (statSync(path).isDirectory() ? readFolder : 0));
  }
  if (workspace !== undefined) {
    allow(workspace, readFile | readFolder | writeFile | makeFile | removeFile | truncateFile);
  }
  call("Landlock", restrictSelf, ruleset, 0);
  closeSync(ruleset);
}
