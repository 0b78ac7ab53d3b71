import type {
  inferRouterInputs,
  inferRouterOutputs,
  TRPCBuiltRouter,
  TRPCMutationProcedure,
  TRPCQueryProcedure,
  TRPCSubscriptionProcedure,
} from "@trpc/server";
import type { contract } from "./contract.ts";

type Contract = typeof contract;

type Procedures<Node> = Node extends { type: infer Type; input: infer Input; output: infer Output }
  ? Type extends "query"
    ? TRPCQueryProcedure<{ input: Input; output: Output; meta: unknown }>
    : Type extends "mutation"
      ? TRPCMutationProcedure<{ input: Input; output: Output; meta: unknown }>
      : TRPCSubscriptionProcedure<{ input: Input; output: Output; meta: unknown }>
  : { [Name in keyof Node]: Procedures<Node[Name]> };

/** The API's router as a client sees it; also for `@trpc/tanstack-react-query` and the like. */
export type AppRouter = TRPCBuiltRouter<
  { ctx: object; meta: object; errorShape: Contract["errorShape"]; transformer: false },
  Procedures<Contract["calls"]>
>;

/** The input of each procedure: `Inputs["keys"]["create"]`. */
export type Inputs = inferRouterInputs<AppRouter>;

/** The output of each procedure: `Outputs["keys"]["create"]`. */
export type Outputs = inferRouterOutputs<AppRouter>;
