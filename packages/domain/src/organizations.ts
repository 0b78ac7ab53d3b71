import { z } from "zod";
import { NewAccess } from "./access.ts";
import { Role } from "./caller.ts";
import { Id } from "./ids.ts";
import { BlockedOrganization, SecondFactorFor } from "./second-factor.ts";
import { FailedSignIns } from "./sessions.ts";
import { nameUpTo, Text } from "./text.ts";
import { Moment, Timestamp } from "./time.ts";

export const RestCompatibility = z.enum(["live", "retired"]);
export type RestCompatibility = z.infer<typeof RestCompatibility>;

/** REST is also retired once its sunset has passed. */
export const isRestRetired = (
  { restCompatibility, restSunsetAt }: { restCompatibility: RestCompatibility; restSunsetAt: Date | null },
  now: Date,
): boolean => restCompatibility === "retired" || (restSunsetAt !== null && restSunsetAt <= now);

/** Who may create organizations: only the operator, by a command, or also every signed-in user. */
export const OrganizationCreation = z.enum(["operator", "anybody"]);
export type OrganizationCreation = z.infer<typeof OrganizationCreation>;

const UploadedBy = z
  .enum(["members", "admins"])
  .describe("Who uploads files and changes their tables: every member, or admins and owners only");

const HelpSeesRows = z
  .boolean()
  .describe("Whether help with SQL also sends the first rows of tables to the organization's model");

const KeysRunSql = z
  .boolean()
  .describe(
    "Whether API keys with the scope `sql:run` may run SQL of their own, [over MCP](../agents.md#sql-of-their-own)",
  );

const PublicLinks = z
  .boolean()
  .describe(
    "Whether members may publish charts and dashboards by [public links](../public-links.md). Turning it off closes all of them",
  );

const Embedding = z
  .boolean()
  .describe(
    "Whether other applications may [embed](../embedding.md) charts and dashboards. Turning it off closes all frames",
  );

const DemandedFor = SecondFactorFor.describe(
  "Whose sessions open the organization only with a [second factor](../sign-in.md#second-factor). API keys need none",
);

const Name = nameUpTo(100);

export const CreateOrganization = z.strictObject({ name: Name });
export type CreateOrganization = z.infer<typeof CreateOrganization>;

export const SwitchOrganization = z.strictObject({ organizationId: Id });
export type SwitchOrganization = z.infer<typeof SwitchOrganization>;

/** The kind and id of a permalink: `/q/<shortId>` or `/chats/<shortId>`. */
export const LocatePermalink = z.strictObject({
  kind: z.enum(["reference", "chat"]),
  shortId: Text.max(200),
});
export type LocatePermalink = z.infer<typeof LocatePermalink>;

/** Which of the person's organizations owns the permalink. Null if none of them does. */
export const PermalinkLocation = z.object({ organizationId: Id, name: z.string() }).nullable();
export type PermalinkLocation = z.infer<typeof PermalinkLocation>;

/** An organization in the list of a member. */
export const Membership = z.object({
  organizationId: Id,
  name: z.string(),
  slug: z.string(),
  role: Role,
});
export type Membership = z.infer<typeof Membership>;

export const OrganizationSettings = z.object({
  name: z.string(),
  slug: z.string().describe("A short name for the operator's commands"),
  webhooksEnabled: z.boolean(),
  restCompatibility: RestCompatibility.describe("Retired too once `restSunsetAt` has passed"),
  restSunsetAt: Timestamp.nullable(),
  resultLifetimeSeconds: z.int(),
  expiredResultDays: z.int(),
  historyDays: z.int(),
  uploadsBy: UploadedBy,
  helpSeesRows: HelpSeesRows,
  keysRunSql: KeysRunSql,
  newAccess: NewAccess,
  secondFactorFor: DemandedFor,
  publicLinks: PublicLinks,
  embedding: Embedding,
  createdAt: Timestamp,
});
export type OrganizationSettings = z.infer<typeof OrganizationSettings>;

/** `expiredResultDays` of a new organization. */
export const defaultExpiredResultDays = 7;

/** The settings that an admin can change. Absent fields are not changed. Only the operator sets `webhooksEnabled`. */
export const UpdateSettings = z.strictObject({
  name: Name.optional(),
  restCompatibility: z
    .literal("retired", {
      error: "can only be set to retired; going back to live is a command of this deployment's operator",
    })
    .optional(),
  restSunsetAt: Moment.nullable()
    .optional()
    .describe(
      "The REST routes are retired at this time; null removes it. It cannot change once they are retired",
    ),
  resultLifetimeSeconds: z
    .int()
    .min(60, "must be at least 60 (one minute)")
    .max(31_536_000, "must be at most 31536000 (one year)")
    .optional()
    .describe("How long a cached result is served"),
  historyDays: z
    .int()
    .min(0, "must be at least 0")
    .max(3650, "must be at most 3650 (ten years)")
    .optional()
    .describe("How many days past results are kept: all of the last week, one a day before; 0 for none"),
  expiredResultDays: z
    .int()
    .min(0, "must be at least 0")
    .max(30, "must be at most 30")
    .optional()
    .describe(
      "How long members still see an expired result on the page of its chart, until there is a new one",
    ),
  uploadsBy: UploadedBy.optional(),
  helpSeesRows: HelpSeesRows.optional(),
  keysRunSql: KeysRunSql.optional(),
  newAccess: NewAccess.optional(),
  secondFactorFor: DemandedFor.optional(),
  publicLinks: PublicLinks.optional(),
  embedding: Embedding.optional(),
});
export type UpdateSettings = z.infer<typeof UpdateSettings>;

/**
 * The signed-in person. `organizationId` is their session's active organization, or null if they have none.
 */
export const Me = z.object({
  user: z.object({ id: Id, name: z.string(), email: z.string() }),
  organizationId: Id.nullable(),
  memberships: z.array(Membership),
  canCreateOrganization: z
    .boolean()
    .describe("Whether this person may create organizations; otherwise the operator does"),
  isDeploymentAdmin: z
    .boolean()
    .describe("Whether this person sees the state of the whole deployment, on the page Operations"),
  hidesFirstSteps: z
    .boolean()
    .describe("Whether this person has dismissed the first steps of the start page"),
  limitedTo: Id.nullable().describe(
    "The organization whose provider the session came from, if one did: it opens only that one, and not the account",
  ),
  failedSignIns: FailedSignIns.nullable().describe(
    "Attempts to sign in as this person that failed, since they dismissed the last notice; null if there are none",
  ),
  factorResetAt: Timestamp.nullable().describe(
    "When the second factor will be removed, if an admin has asked for it",
  ),
  blocked: BlockedOrganization.nullable().describe(
    "Set if the session does not open its organization, and `organizationId` is null for that reason",
  ),
  seesAs: z
    .object({ userId: Id, name: z.string(), role: Role })
    .nullable()
    .describe("The member as whom this admin sees the organization now"),
});
export type Me = z.infer<typeof Me>;

export const UpdateProfile = z.strictObject({ name: Name });
export type UpdateProfile = z.infer<typeof UpdateProfile>;

export const UpdateFirstSteps = z.strictObject({ hidesFirstSteps: z.boolean() });
export type UpdateFirstSteps = z.infer<typeof UpdateFirstSteps>;

/** The last call of a published REST route with a key. */
export const RestCall = z.object({
  key: z.object({ id: Id, name: z.string(), start: z.string(), revoked: z.boolean() }),
  owner: z.object({ userId: Id, name: z.string(), email: z.string() }).describe("The owner of the key"),
  route: z.string().describe("Method and path as published, like `GET /api/queries/:queryId`"),
  lastCalledAt: Timestamp,
  retired: z.boolean().describe("Whether that call was refused because the routes are retired"),
});
export type RestCall = z.infer<typeof RestCall>;
