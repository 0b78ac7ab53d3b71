import { DatabaseLimits } from "@querybell/domain";
import { readPieces, type StoredResult } from "../computing-hosts.ts";
import { noFiles } from "../database-files.ts";
import type { WaitOptions } from "../engine-host.ts";
import { unexpectedAnswer } from "../failures.ts";
import { HostSlots } from "../host-slots.ts";
import type { Hosts } from "../hosts.ts";
import type { EngineFailure } from "../messages.ts";
import type { DashboardPictureRequest, PictureRequest } from "./picture-request.ts";

export interface DrawRequest {
  organizationId: string;
  picture: PictureRequest;
  result: StoredResult;
}

interface DrawDashboardRequest {
  organizationId: string;
  picture: DashboardPictureRequest;
  /** In the order that the tiles name them by. */
  results: StoredResult[];
}

/** A table has no picture. */
export type DrawOutcome =
  | { kind: "drawn"; bytes: Uint8Array }
  | { kind: "table" }
  | { kind: "failed"; failure: EngineFailure };

export interface DrawingHosts {
  /** Draws the picture of a chart from a stored result, outside of this process. */
  drawPicture(request: DrawRequest, options?: WaitOptions): Promise<DrawOutcome>;
  /** Draws a whole dashboard as a PNG, outside of this process. */
  drawDashboard(
    request: DrawDashboardRequest,
    options?: WaitOptions,
  ): Promise<Exclude<DrawOutcome, { kind: "table" }>>;
  close(): void;
}

const size = 2;
const waiting = { maxPerOrganization: 2, maxWaitingPerOrganization: 50, maxWaiting: 500, waitMs: 30_000 };
const limits = DatabaseLimits.parse({ timeMs: 20_000, bytes: 32 * 1024 ** 2 });

/** The hosts that draw pictures. Their slots are separate, so that a picture never waits for a digest or a query. */
export function createDrawingHosts(hosts: Hosts): DrawingHosts {
  const slots = new HostSlots({ hosts, ...waiting, size });
  return {
    async drawPicture({ organizationId, picture, result }, { signal } = {}) {
      const input = readPieces([result], signal);
      const task = { kind: "draw_picture", organizationId, picture, cut: result.cut, limits } as const;
      const { answer, chunks } = await slots.runTask({ task, files: noFiles }, input);
      input.throwIfUnreadable();
      if (answer.kind === "failed") return answer;
      if (answer.kind !== "picture_drawn") throw unexpectedAnswer(answer.kind);
      return answer.isTable ? { kind: "table" } : { kind: "drawn", bytes: Buffer.concat(chunks) };
    },

    async drawDashboard({ organizationId, picture, results }, { signal } = {}) {
      const input = readPieces(results, signal);
      const cuts = results.map(({ cut }) => cut);
      const task = { kind: "draw_dashboard", organizationId, picture, cuts, limits } as const;
      const { answer, chunks } = await slots.runTask({ task, files: noFiles }, input);
      input.throwIfUnreadable();
      if (answer.kind === "failed") return answer;
      if (answer.kind !== "picture_drawn") throw unexpectedAnswer(answer.kind);
      return { kind: "drawn", bytes: Buffer.concat(chunks) };
    },

    close: () => slots.close(),
  };
}
