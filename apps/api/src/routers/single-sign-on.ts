import { createScimToken, deleteScimToken, getScimState } from "@querybell/core/scim";
import {
  addDomain,
  checkDomain,
  enforceSingleSignOn,
  getSingleSignOn,
  removeDomain,
  removeIdentityProvider,
  saveIdentityProvider,
} from "@querybell/core/single-sign-on";
import {
  AddDomain,
  CreatedScimToken,
  DomainId,
  EnforceSingleSignOn,
  OrganizationDomain,
  SaveIdentityProvider,
  ScimState,
  SingleSignOn,
} from "@querybell/domain";
import type { TRPCRouterRecord } from "@trpc/server";
import { adminProcedure, checked, parsed } from "../trpc/procedures.ts";

const owners = { forbidden: "you are not an owner of the organization" };

export const singleSignOnRouter = {
  get: adminProcedure
    .meta({
      summary: "Gets the organization's [single sign-on](../sign-in.md#single-sign-on) and its domains",
    })
    .output(checked(SingleSignOn))
    .query(({ ctx }) => getSingleSignOn(ctx.deps, ctx.caller)),
  save: adminProcedure
    .meta({
      summary: "Saves the organization's provider, after it has answered. Another issuer unlinks all people",
      dangerous: true,
      errors: owners,
    })
    .input(parsed(SaveIdentityProvider))
    .output(checked(SingleSignOn))
    .mutation(({ ctx, input }) => saveIdentityProvider(ctx.deps, ctx.caller, input)),
  remove: adminProcedure
    .meta({
      summary: "Removes the provider, and ends its sessions",
      dangerous: true,
      errors: { ...owners, not_found: "no provider is set up" },
    })
    .mutation(({ ctx }) => removeIdentityProvider(ctx.deps, ctx.caller)),
  enforce: adminProcedure
    .meta({
      summary: "Says whether only sessions of the provider open the organization",
      dangerous: true,
      errors: {
        ...owners,
        not_found: "no provider is set up",
        conflict: "it is turned on, and the caller has not signed in through the provider",
      },
    })
    .input(parsed(EnforceSingleSignOn))
    .output(checked(SingleSignOn))
    .mutation(({ ctx, input }) => enforceSingleSignOn(ctx.deps, ctx.caller, input)),
  addDomain: adminProcedure
    .meta({
      summary: "Adds a domain. It counts once its TXT record was found",
      dangerous: true,
      errors: { ...owners, conflict: "there are 50 domains" },
    })
    .input(parsed(AddDomain))
    .output(checked(OrganizationDomain))
    .mutation(({ ctx, input }) => addDomain(ctx.deps, ctx.caller, input)),
  checkDomain: adminProcedure
    .meta({
      summary: "Looks for the TXT record of a domain",
      errors: {
        ...owners,
        not_found: "there is no such domain",
        domain_unproven: "the record was not found, or has another value",
      },
    })
    .input(parsed(DomainId))
    .output(checked(OrganizationDomain))
    .mutation(({ ctx, input }) => checkDomain(ctx.deps, ctx.caller, input)),
  removeDomain: adminProcedure
    .meta({
      summary: "Removes a domain. Its people stay members",
      dangerous: true,
      errors: { ...owners, not_found: "there is no such domain" },
    })
    .input(parsed(DomainId))
    .mutation(({ ctx, input }) => removeDomain(ctx.deps, ctx.caller, input)),
  provisioning: adminProcedure
    .meta({
      summary: "Gets whether a provider may send people and groups ([SCIM](../sign-in.md#provisioning))",
    })
    .output(checked(ScimState))
    .query(({ ctx }) => getScimState(ctx.deps, ctx.caller)),
  createScimToken: adminProcedure
    .meta({
      summary: "Creates the token for provisioning, and replaces an earlier one. Its text is shown once",
      dangerous: true,
      errors: owners,
    })
    .output(checked(CreatedScimToken))
    .mutation(({ ctx }) => createScimToken(ctx.deps, ctx.caller)),
  deleteScimToken: adminProcedure
    .meta({ summary: "Deletes the token for provisioning. Members stay", dangerous: true, errors: owners })
    .mutation(({ ctx }) => deleteScimToken(ctx.deps, ctx.caller)),
} satisfies TRPCRouterRecord;
