import type { AppRouter as ServersRouter } from "@querybell/api/router";
import type { inferRouterError, inferRouterInputs, inferRouterOutputs } from "@trpc/server";
import { expectTypeOf, test } from "vitest";
import type { AppRouter, Inputs, Outputs } from "./router.ts";

// The compiler checks this. At run time the test asserts nothing.
test("the types that are written out are those of the server's router", () => {
  expectTypeOf<Inputs>().toEqualTypeOf<inferRouterInputs<ServersRouter>>();
  expectTypeOf<Outputs>().toEqualTypeOf<inferRouterOutputs<ServersRouter>>();
  expectTypeOf<inferRouterError<AppRouter>>().toEqualTypeOf<inferRouterError<ServersRouter>>();
});
