import type { Tx } from "@querybell/db";

/** The database that holds an organization's uploads. */
export const getUploadsDatabase = (tx: Pick<Tx, "analyticalDatabaseConfig">, organizationId: string) =>
  tx.analyticalDatabaseConfig.findFirstOrThrow({
    where: { organizationId, holdsUploads: true },
    include: { uploadFile: true },
  });

/** The bytes that the tables use in their file. */
export async function readTableBytes(
  tx: Pick<Tx, "analyticalDatabaseConfig">,
  organizationId: string,
): Promise<number> {
  const { uploadFile } = await getUploadsDatabase(tx, organizationId);
  return Number(uploadFile?.usedBytes ?? 0n);
}
