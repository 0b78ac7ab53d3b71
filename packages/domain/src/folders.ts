import { z } from "zod";
import { Id } from "./ids.ts";
import { nameUpTo } from "./text.ts";
import { Timestamp } from "./time.ts";

const FolderName = nameUpTo(100);

const Parent = Id.nullable().describe("The folder that contains it; null: at the top");

export const CreateFolder = z.strictObject({ name: FolderName, parentId: Parent.default(null) });
export type CreateFolder = z.infer<typeof CreateFolder>;

/** Absent fields are not changed. A new parent moves the folder with all that is in it. */
export const UpdateFolder = z.strictObject({
  id: Id,
  name: FolderName.optional(),
  parentId: Parent.optional(),
});
export type UpdateFolder = z.infer<typeof UpdateFolder>;

export const FolderId = z.strictObject({ id: Id });
export type FolderId = z.infer<typeof FolderId>;

export const Folder = z.object({
  id: Id,
  name: z.string(),
  parentId: Parent,
  isFavourite: z.boolean().describe("Whether the caller marked it"),
  mayEdit: z.boolean().describe("Whether the caller may change it and what is in it"),
  createdBy: Id,
  createdAt: Timestamp,
  updatedAt: Timestamp,
});
export type Folder = z.infer<typeof Folder>;
