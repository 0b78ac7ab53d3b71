import { stat } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseLimits } from "@querybell/domain";
import type { FileReading } from "@querybell/domain/file-reading";
import type {
  ChangedTables,
  ChosenTypes,
  DateOrder,
  FilePreview,
  NamesBefore,
  TableChange,
  UploadedFile,
  UploadRefusal,
} from "@querybell/engines";
import type { WaitOptions } from "../engine-host.ts";
import { toTaskError, unexpectedAnswer } from "../failures.ts";
import { HostSlots, type TaskOutcome } from "../host-slots.ts";
import type { Hosts } from "../hosts.ts";
import type { EngineFailure } from "../messages.ts";

interface UploadPreviewRequest {
  organizationId: string;
  file: UploadedFile;
  reading: FileReading;
  namesBefore?: NamesBefore | undefined;
  numbersBefore?: FileReading["numbers"];
  types: ChosenTypes;
  dateOrder?: DateOrder | undefined;
  /** A folder that only the host uses. */
  scratchFolder: string;
  /** The table that would be updated, with its database file. */
  upsert?: { database: string; table: string; key: string[] } | undefined;
}

interface TableChangeRequest {
  organizationId: string;
  /** A folder that only the host uses, with the database file to change if there is one. */
  workspace: string;
  /** The name of the database file in it. */
  fileName: string;
  maxFileBytes: number;
  change: TableChange;
}

type Refused = { kind: "refused"; refusal: UploadRefusal };
type UploadPreviewOutcome = { kind: "previewed"; preview: FilePreview } | Refused;
type TableChangeOutcome = { kind: "changed"; changed: ChangedTables } | { kind: "too_large" } | Refused;

export interface UploadHosts {
  /** Looks into an uploaded file. Throws `AppError` when no host is free, or it takes too long. */
  previewUpload(request: UploadPreviewRequest, options?: WaitOptions): Promise<UploadPreviewOutcome>;
  /** Changes a database file in a folder that only the host uses. Throws `AppError` as `previewUpload` does. */
  changeTables(request: TableChangeRequest, options?: WaitOptions): Promise<TableChangeOutcome>;
  close(): void;
}

// Short enough that the answer comes before the connection of the request counts as idle.
const limits = DatabaseLimits.parse({ timeMs: 75_000 });
const waiting = {
  size: 2,
  maxPerOrganization: 1,
  maxWaitingPerOrganization: 5,
  maxWaiting: 50,
  waitMs: 15_000,
};

/** The hosts for tasks on uploads. Their slots are separate. */
export function createUploadHosts(hosts: Hosts): UploadHosts {
  // Such a host may write. It is used once, so that it has ended before the file that it wrote is read.
  const slots = new HostSlots({ hosts, ...waiting, isSingleUse: true });
  return { ...createUploads(slots.runTask.bind(slots)), close: () => slots.close() };
}

type RunTask = (...work: Parameters<HostSlots["runTask"]>) => Promise<Pick<TaskOutcome, "answer">>;

/**
 * The tasks on uploads. `runTask` runs them in a host or, in tests about files, in the test's own process.
 */
export function createUploads(runTask: RunTask): Omit<UploadHosts, "close"> {
  return {
    async previewUpload({ organizationId, ...request }, { signal } = {}) {
      const { file, scratchFolder, upsert } = request;
      const paths = [file.path, ...(upsert ? [upsert.database] : [])];
      const { answer } = await runTask(
        {
          task: { kind: "preview_upload", organizationId, limits, ...request },
          files: { paths, identity: scratchFolder, workspace: scratchFolder },
        },
        { signal },
      );
      if (answer.kind === "failed") return toRefusal(answer.failure);
      if (answer.kind === "upload_refused") return { kind: "refused", refusal: answer.refusal };
      if (answer.kind !== "upload_previewed") throw unexpectedAnswer(answer.kind);
      return { kind: "previewed", preview: answer.preview };
    },

    async changeTables({ organizationId, workspace, fileName, maxFileBytes, change }, { signal } = {}) {
      const database = join(workspace, fileName);
      const { answer } = await runTask(
        {
          task: { kind: "change_tables", organizationId, limits, database, maxFileBytes, change },
          files: {
            paths: change.kind === "import" ? [change.file.path] : [],
            identity: workspace,
            workspace,
          },
        },
        { signal },
      );
      if (answer.kind === "failed") {
        if (answer.failure.code === "result_too_large") return { kind: "too_large" };
        return toRefusal(answer.failure);
      }
      if (answer.kind === "upload_refused") return { kind: "refused", refusal: answer.refusal };
      if (answer.kind !== "tables_changed") throw unexpectedAnswer(answer.kind);
      // While it ran, the host could write more, for files that it had to unpack.
      if ((await stat(database)).size > maxFileBytes) return { kind: "too_large" };
      return { kind: "changed", changed: answer.changed };
    },
  };
}

/** Converts a failure that the file has caused. Throws any other. */
function toRefusal(failure: EngineFailure): Refused {
  const message = faultsOfFiles[failure.code];
  if (message === undefined) throw toTaskError(failure);
  return { kind: "refused", refusal: { reason: "unreadable", message } };
}

const faultsOfFiles: Partial<Record<EngineFailure["code"], string>> = {
  query_timeout: `Reading the file took longer than ${limits.timeMs / 1000} seconds. Split it into several files, and append them.`,
  out_of_memory:
    "The file needs more memory to be read than there is. Split it into several files, and append them.",
  engine_crashed:
    "The engine ended while it read the file. Check that the file is whole, and upload it again.",
};
