import {
  cancelFactorReset,
  confirmWithCode,
  confirmWithPasskey,
  finishPasskey,
  finishTotp,
  getSecondFactor,
  removePasskey,
  removeTotp,
  renewRecoveryCodes,
  startConfirm,
  startPasskey,
  startTotp,
} from "@querybell/core/identity";
import {
  ConfirmWithPasskey,
  FactorCode,
  FinishTotp,
  NewPasskey,
  PasskeyOptions,
  RecoveryCodes,
  RemovePasskey,
  SecondFactor,
  SetUpFactor,
  TotpSecret,
} from "@querybell/domain";
import type { TRPCRouterRecord } from "@trpc/server";
import { checked, parsed, personProcedure } from "../trpc/procedures.ts";

const noPasskeysHere = "browsers allow no passkeys at the address of this installation";

export const secondFactorRouter = {
  get: personProcedure
    .meta({ summary: "Gets the person's [second factors](../sign-in.md#second-factor)" })
    .output(checked(SecondFactor))
    .query(({ ctx }) => getSecondFactor(ctx.deps, ctx.person)),
  startTotp: personProcedure
    .meta({
      summary: "Begins to set up codes of an app. The secret is shown once",
      dangerous: true,
      errors: { conflict: "codes of an app are set up already" },
    })
    .input(parsed(SetUpFactor))
    .output(checked(TotpSecret))
    .mutation(({ ctx, input }) => startTotp(ctx.deps, ctx.person, input)),
  finishTotp: personProcedure
    .meta({
      summary:
        "Sets up codes of an app with the first of them. Ends all other sessions. With the first factor come recovery codes, which are shown once",
    })
    .input(parsed(FinishTotp))
    .output(checked(RecoveryCodes))
    .mutation(({ ctx, input }) => finishTotp(ctx.deps, ctx.person, input)),
  removeTotp: personProcedure
    .meta({
      summary: "Removes the codes of an app",
      dangerous: true,
      errors: { not_found: "no codes of an app are set up" },
    })
    .mutation(({ ctx }) => removeTotp(ctx.deps, ctx.person)),
  startPasskey: personProcedure
    .meta({
      summary: "Begins to set up a passkey: the options for the browser's `navigator.credentials.create`",
      dangerous: true,
      errors: { conflict: `the person has 20 passkeys, or ${noPasskeysHere}` },
    })
    .input(parsed(SetUpFactor))
    .output(checked(PasskeyOptions))
    .mutation(({ ctx, input }) => startPasskey(ctx.deps, ctx.person, input)),
  finishPasskey: personProcedure
    .meta({
      summary:
        "Sets up a passkey that the browser has created. Ends all other sessions. With the first factor come recovery codes, which are shown once",
      errors: { conflict: `the passkey is set up already, or ${noPasskeysHere}` },
    })
    .input(parsed(NewPasskey))
    .output(checked(RecoveryCodes))
    .mutation(({ ctx, input }) => finishPasskey(ctx.deps, ctx.person, input)),
  removePasskey: personProcedure
    .meta({
      summary: "Removes a passkey",
      dangerous: true,
      errors: { not_found: "there is no such passkey, or it was removed already" },
    })
    .input(parsed(RemovePasskey))
    .mutation(({ ctx, input }) => removePasskey(ctx.deps, ctx.person, input)),
  renewRecoveryCodes: personProcedure
    .meta({
      summary: "Replaces the recovery codes. They are shown once",
      dangerous: true,
      errors: { conflict: "the person has no second factor" },
    })
    .output(checked(RecoveryCodes))
    .mutation(({ ctx }) => renewRecoveryCodes(ctx.deps, ctx.person)),
  cancelReset: personProcedure
    .meta({
      summary: "Cancels the removal of the factors that an admin has asked for",
      dangerous: true,
      errors: { not_found: "no removal is planned" },
    })
    .mutation(({ ctx }) => cancelFactorReset(ctx.deps, ctx.person)),
  confirm: personProcedure
    .meta({
      summary: "Confirms with a code of the app or a recovery code: allows dangerous acts for ten minutes",
    })
    .input(parsed(FactorCode))
    .mutation(({ ctx, input }) =>
      confirmWithCode(ctx.deps, ctx.person, input, { address: ctx.address, userAgent: null }),
    ),
  startConfirm: personProcedure
    .meta({
      summary: "Begins to confirm with a passkey: the options for the browser's `navigator.credentials.get`",
      errors: { conflict: noPasskeysHere },
    })
    .output(checked(PasskeyOptions))
    .mutation(({ ctx }) => startConfirm(ctx.deps, ctx.person)),
  confirmWithPasskey: personProcedure
    .meta({
      summary: "Confirms with a passkey: allows dangerous acts for ten minutes",
    })
    .input(parsed(ConfirmWithPasskey))
    .mutation(({ ctx, input }) => confirmWithPasskey(ctx.deps, ctx.person, input)),
} satisfies TRPCRouterRecord;
