/**
 * All that a role needs to migrate and to run Querybell, in the order in which an administrator gives it. A role that owns
 * its database has all of it. A test migrates, restores and runs with these and nothing else.
 */
export const neededGrants = (database: string, role: string) => ({
  connect: `GRANT CONNECT ON DATABASE ${database} TO ${role}`,
  /** `graphile_worker` and `partitions`. */
  createSchemas: `GRANT CREATE ON DATABASE ${database} TO ${role}`,
  createTables: `GRANT USAGE, CREATE ON SCHEMA public TO ${role}`,
});
