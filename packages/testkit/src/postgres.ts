// Vitest takes its global set-up by a package's name: the tests of the apps need only this package.
export { default, startTestPostgres } from "@querybell/test-database/postgres";
