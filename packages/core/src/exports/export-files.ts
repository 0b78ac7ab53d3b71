import { join } from "node:path";
import type { Deps } from "../deps.ts";

interface ExportKey {
  organizationId: string;
  id: string;
}

/** The folder of one export. Whoever makes its file also keeps temporary files in it. */
export const exportFolder = (
  { deployment }: Pick<Deps, "deployment">,
  { organizationId, id }: ExportKey,
): string => join(deployment.dataFolder, "exports", organizationId, id);

export const exportFile = (deps: Pick<Deps, "deployment">, key: ExportKey): string =>
  join(exportFolder(deps, key), "export.tar.gz");
