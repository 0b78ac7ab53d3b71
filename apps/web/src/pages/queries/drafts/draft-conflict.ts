import { toApiError } from "@querybell/client";
import { Failure } from "../../../errors/failure.ts";
import type { Statement } from "../statement.ts";
import { contentOf, isSameContent, type ServerDraft } from "./draft-on-server.ts";

/** Two contents of one draft, because another window has changed it. The user chooses which one is kept. */
export interface DraftConflict {
  theirs: ServerDraft;
  /** Stores the content of this page over the other one. */
  keepMine: () => Promise<void>;
  /** Shows the other content. */
  takeTheirs: () => void;
}

/** The failure of an action that needs the draft before the user has chosen. */
export const notChosen = (): Failure =>
  new Failure(
    "Your draft was changed in another window or on another device. Choose which text to keep, then try again.",
    "draft_changed",
  );

/** Whether the api refused a call because the draft was changed in another window. */
export const isChangedElsewhere = (error: unknown): boolean => toApiError(error)?.reason === "draft_changed";

/** Whether the browser kept a text that the server did not get, and the server has got another one since. */
export const isConflictFromStart = (statement: Statement, server: ServerDraft | undefined): boolean =>
  server !== undefined &&
  statement.draft !== undefined &&
  !isSameContent(server, contentOf(statement)) &&
  statement.draft.revision !== server.revision;
