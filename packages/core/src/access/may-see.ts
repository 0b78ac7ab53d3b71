import { nilId, type Rights } from "@querybell/db";

interface Placed {
  folderId: string | null;
  createdBy: string;
}

/** Whether somebody with these rights sees what is in this folder. As the views of the schema `rights`. */
export const seesItem = (rights: Rights | undefined, { folderId, createdBy }: Placed): boolean =>
  rights === undefined ||
  rights.folders.includes(folderId ?? nilId) ||
  (folderId === null && createdBy === rights.userId);

interface PlacedQuery extends Placed {
  analyticalDatabaseConfigId: string;
}

/** Whether somebody with these rights sees a query, and so runs it. */
export const seesQuery = (rights: Rights | undefined, query: PlacedQuery): boolean =>
  rights === undefined ||
  (seesItem(rights, query) && rights.databases.includes(query.analyticalDatabaseConfigId));

export const mayWriteSql = (rights: Rights | undefined, databaseId: string): boolean =>
  rights === undefined || rights.writableDatabases.includes(databaseId);
