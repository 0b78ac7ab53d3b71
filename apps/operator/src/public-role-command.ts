import { newPublicRole } from "@querybell/prisma";
import type { Command } from "./command.ts";

export const publicRoleCommand: Command = {
  words: ["public-role"],
  summary: "Prints how to create the role of the public process. It changes nothing.",
  options: {},
  run: async ({ databaseUrl }) => {
    const { statements, url } = newPublicRole(databaseUrl);
    return `-- Execute this in the database of Querybell, as an administrator of the server. If the role exists, begin with ALTER ROLE.
${statements.map((statement) => `${statement};`).join("\n")}

-- Then set, for the public process alone:
-- PUBLIC_DATABASE_URL=${url}`;
  },
};
