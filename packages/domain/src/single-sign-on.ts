import { z } from "zod";
import { Role } from "./caller.ts";
import { Id } from "./ids.ts";
import { Timestamp } from "./time.ts";

/** The role of members whom single sign-on or provisioning adds. Only people make owners. */
export const GivenRole = Role.exclude(["owner"]);
export type GivenRole = z.infer<typeof GivenRole>;

const maxGroups = 50;
const GroupName = z.string().trim().min(1).max(200);

export const OrganizationDomain = z.object({
  id: Id,
  domain: z.string(),
  record: z.object({ name: z.string(), value: z.string() }).describe("The TXT record that proves the domain"),
  provenAt: Timestamp.nullable(),
});
export type OrganizationDomain = z.infer<typeof OrganizationDomain>;

/** The organization's provider of identities. The client's secret is never shown. */
export const IdentityProvider = z.object({
  issuer: z.string(),
  clientId: z.string(),
  defaultRole: GivenRole,
  groupsClaim: z.string(),
  adminGroups: z.array(z.string()),
  enforced: z.boolean().describe("Whether only sessions of this provider open the organization"),
  createdAt: Timestamp,
});
export type IdentityProvider = z.infer<typeof IdentityProvider>;

export const SingleSignOn = z.object({
  provider: IdentityProvider.nullable(),
  redirectUrl: z.string().nullable().describe("To register at the provider; null until it is saved"),
  domains: z.array(OrganizationDomain),
  isCurrent: z.boolean().describe("Whether the session of this call came from the provider"),
});
export type SingleSignOn = z.infer<typeof SingleSignOn>;

export const SaveIdentityProvider = z.strictObject({
  issuer: z
    .string()
    .min(1)
    .max(500)
    .meta({ examples: ["https://127.0.0.1:1"] }),
  clientId: z.string().min(1).max(500),
  clientSecret: z
    .string()
    .min(1)
    .max(1000)
    .optional()
    .describe("Absent: the stored one stays, if the issuer and the client stay the same"),
  defaultRole: GivenRole.default("member").describe("Of members whom it adds"),
  groupsClaim: z
    .string()
    .min(1)
    .max(100)
    .default("groups")
    .describe("The claim that lists a person's groups"),
  adminGroups: z
    .array(GroupName)
    .max(maxGroups)
    .default([])
    .describe("Members of these groups are admins. If it is empty, roles are changed by hand"),
});
export type SaveIdentityProvider = z.infer<typeof SaveIdentityProvider>;

export const EnforceSingleSignOn = z.strictObject({ enforced: z.boolean() });
export type EnforceSingleSignOn = z.infer<typeof EnforceSingleSignOn>;

export const DomainName = z
  .string()
  .trim()
  .toLowerCase()
  .max(253)
  .regex(
    /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/,
    "must look like example.com",
  )
  .meta({ examples: ["example.com"] });

export const AddDomain = z.strictObject({ domain: DomainName });
export type AddDomain = z.infer<typeof AddDomain>;

export const DomainId = z.strictObject({ id: Id });
export type DomainId = z.infer<typeof DomainId>;

/** A path of the web app, to open after signing in. */
const PagePath = z
  .string()
  .max(2000)
  .regex(/^\/(?![/\\])/)
  .catch("/")
  .default("/");

/** Which provider to sign in with: that of the address's domain, of an organization, or the deployment's. */
export const StartSingleSignOn = z.union([
  z.strictObject({
    email: z.email({ error: "must be an email address" }).max(254).toLowerCase(),
    to: PagePath,
  }),
  z.strictObject({ organization: z.string().min(1).max(200), to: PagePath }),
  z.strictObject({ to: PagePath }),
]);
export type StartSingleSignOn = z.infer<typeof StartSingleSignOn>;

/** Why a sign-in through a provider was refused. */
export const SingleSignOnProblem = z.enum(["expired", "failed", "unproven", "removed", "disabled"]);
export type SingleSignOnProblem = z.infer<typeof SingleSignOnProblem>;
