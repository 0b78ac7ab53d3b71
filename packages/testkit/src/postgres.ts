// Re-exported, because Vitest imports its global set-up by package name and the apps depend only on this package.
export { default, startTestPostgres } from "@querybell/test-database/postgres";
