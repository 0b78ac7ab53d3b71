import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";

interface RunningProcess {
  pid: number;
  /** The arguments or the title, with spaces between them. */
  title: string;
}

/** The processes of a user. Linux shows them as files; other systems have a program for it. */
export const listProcesses = (uid: number): RunningProcess[] =>
  process.platform === "linux" ? readProcFiles(uid) : askPs(uid);

function readProcFiles(uid: number): RunningProcess[] {
  return readdirSync("/proc")
    .filter((entry) => /^\d+$/.test(entry))
    .flatMap((entry) => {
      try {
        if (statSync(`/proc/${entry}`).uid !== uid) return [];
        const title = readFileSync(`/proc/${entry}/cmdline`, "utf8").replaceAll("\0", " ");
        return [{ pid: Number(entry), title }];
      } catch {
        // It has ended.
        return [];
      }
    });
}

function askPs(uid: number): RunningProcess[] {
  const list = execFileSync("ps", ["-A", "-ww", "-o", "pid=,uid=,args="], {
    encoding: "utf8",
    maxBuffer: 64 * 1024 ** 2,
  });
  return list.split("\n").flatMap((line) => {
    const [, pid, owner, title = ""] = /^ *(\d+) +(\d+) (.*)$/.exec(line) ?? [];
    return Number(owner) === uid ? [{ pid: Number(pid), title }] : [];
  });
}
