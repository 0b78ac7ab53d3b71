// `pnpm migration:create <name>`: writes the SQL for what has changed in prisma/schema and prisma/functions.
import { startThrowawayPostgres } from "@querybell/embedded-postgres";
import { createMigration } from "../create-migration.ts";

const name = process.argv[2];
if (!name || !/^[a-z][a-z0-9_]*$/.test(name)) {
  console.error("Name the migration in snake_case: pnpm migration:create add_something");
  process.exit(1);
}
const postgres = await startThrowawayPostgres();
try {
  const file = await createMigration(postgres, name);
  console.log(
    file ? `Wrote ${file}. Read it, and add by hand what Prisma cannot say.` : "Nothing has changed.",
  );
} finally {
  await postgres.stop();
}
