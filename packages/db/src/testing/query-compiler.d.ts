/** Prisma's compiler, of which it publishes no types. */
declare module "@prisma/client/runtime/query_compiler_fast_bg.postgresql.mjs" {
  export class QueryCompiler {
    /** Returns the plan of a query, both as Prisma's engine writes them. */
    compile(query: string): unknown;
  }
}
