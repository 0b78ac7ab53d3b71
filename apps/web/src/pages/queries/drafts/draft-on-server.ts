import type { Inputs, Outputs } from "@querybell/client";
import { toApiError } from "@querybell/client";
import type { DraftParameters } from "@querybell/domain";
import { isSameJson } from "@querybell/domain/same-json";
import type { Statement } from "../statement.ts";
import type { Draft } from "./draft-storage.ts";

export type ServerDraft = Outputs["drafts"]["get"];
export type SavedQuery = Outputs["drafts"]["save"];

/** The calls of the api. */
export interface DraftCalls {
  create: (input: Inputs["drafts"]["create"]) => Promise<ServerDraft>;
  update: (input: Inputs["drafts"]["update"]) => Promise<ServerDraft>;
  delete: (input: Inputs["drafts"]["delete"]) => Promise<unknown>;
  save: (input: Inputs["drafts"]["save"]) => Promise<SavedQuery>;
  /** The draft as the server has it now, if it has one. */
  read: (id: string | undefined) => Promise<ServerDraft | null>;
}

/** What a draft consists of. */
export interface DraftContent {
  sql: string;
  analyticalDatabaseConfigId: string;
  parameters: DraftParameters | null;
}

export const contentOf = ({ sql, databaseId, parameters }: Statement): DraftContent => ({
  sql,
  analyticalDatabaseConfigId: databaseId,
  parameters: parameters ?? null,
});

export const isSameContent = (one: DraftContent, other: DraftContent): boolean =>
  one.sql === other.sql &&
  one.analyticalDatabaseConfigId === other.analyticalDatabaseConfigId &&
  isSameJson(one.parameters, other.parameters);

/** The draft of the server as the page holds it. */
export const toLocalDraft = (draft: ServerDraft): Draft => ({
  sql: draft.sql,
  databaseId: draft.analyticalDatabaseConfigId,
  parameters: draft.parameters ?? undefined,
  version: draft.queryVersion ?? 0,
  at: draft.updatedAt,
  revision: draft.revision,
});

/** The draft that the server has, as this page knows it, and the calls that change it. */
export class DraftOnServer {
  readonly #calls: DraftCalls;
  /** Undefined if the server has none. */
  current: ServerDraft | undefined;

  constructor(calls: DraftCalls, current: ServerDraft | undefined) {
    this.#calls = calls;
    this.current = current;
  }

  has(content: DraftContent): boolean {
    return this.current !== undefined && isSameContent(this.current, content);
  }

  /** Stores the content. A draft that there is no more is created again, for this version of the query. */
  async write(
    content: DraftContent,
    ofQuery: { queryId?: string; queryVersion?: number },
  ): Promise<ServerDraft> {
    if (this.current) {
      const { id, revision } = this.current;
      try {
        this.current = await this.#calls.update({ id, revision, ...content });
        return this.current;
      } catch (error) {
        if (toApiError(error)?.reason !== "not_found") throw error;
        // It was saved or deleted in another window, and this text was typed since.
        this.current = undefined;
      }
    }
    this.current = await this.#calls.create({ ...content, ...ofQuery });
    return this.current;
  }

  /** Returns whether there was one. */
  async delete(): Promise<boolean> {
    if (!this.current) return false;
    await this.#calls.delete({ id: this.current.id }).catch((error: unknown) => {
      if (toApiError(error)?.reason !== "not_found") throw error;
    });
    this.current = undefined;
    return true;
  }

  /** What another window has stored. Undefined if it cannot be read, or if there is none. */
  async read(): Promise<ServerDraft | undefined> {
    return (await this.#calls.read(this.current?.id).catch(() => null)) ?? undefined;
  }

  async save(as: { name?: string; folderId?: string; version?: number }): Promise<SavedQuery | undefined> {
    if (!this.current) return undefined;
    const { id, revision } = this.current;
    const saved = await this.#calls.save({ id, revision, ...as });
    this.current = undefined;
    return saved;
  }
}
