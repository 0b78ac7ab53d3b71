export { createDraft, deleteDraft, updateDraft } from "./change-draft.ts";
export { findDraft, getDraft, listDrafts } from "./get-draft.ts";
export { runDraft } from "./run-draft.ts";
export { runSql } from "./run-sql.ts";
export { saveDraft } from "./save-draft.ts";
