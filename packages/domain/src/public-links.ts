import { z } from "zod";
import { Id } from "./ids.ts";
import { ParameterInputs, ParameterName } from "./parameters.ts";
import { countPages, maxPublishedPages } from "./published-pages.ts";
import { Text } from "./text.ts";
import { Moment, Timestamp } from "./time.ts";

export const maxPublicLinks = 500;

/** What a public link shows. */
export const PublicLinkItem = z.strictObject({
  kind: z.enum(["reference", "dashboard"]),
  id: Id.describe("The id of the reference or of the dashboard"),
});
export type PublicLinkItem = z.infer<typeof PublicLinkItem>;

/** A parameter that visitors choose. */
const PublishedChoice = z.strictObject({
  name: ParameterName.describe("A filter of the dashboard, or a parameter of the chart"),
  values: z
    .array(Text.max(1000, "must have at most 1000 characters"))
    .min(1, "must not be empty")
    .max(maxPublishedPages, `must be at most ${maxPublishedPages}`)
    .describe("As texts. The first is shown first; an empty text is no value, so the default"),
});

const PublishedChoices = z
  .array(PublishedChoice)
  .max(5, "must be at most 5")
  .superRefine((choices, context) => {
    const refuse = (message: string) => context.addIssue({ code: "custom", message });
    if (hasDuplicates(choices.map(({ name }) => name))) refuse("must not name a parameter twice");
    if (choices.some(({ values }) => hasDuplicates(values))) refuse("must not have a value twice");
    const pages = countPages(choices);
    if (pages > maxPublishedPages) {
      refuse(`must have at most ${maxPublishedPages} combinations of values: these have ${pages}`);
    }
  });
export type PublishedChoices = z.infer<typeof PublishedChoices>;

const hasDuplicates = (texts: readonly string[]): boolean => new Set(texts).size < texts.length;

const fields = {
  choices: PublishedChoices.describe(
    "What visitors choose. The queries run for every combination when it is published, and by the schedule of the dashboard",
  ),
  expiresAt: Moment.nullable().describe("The page is gone at this time; null: never"),
  password: Text.min(8, "must have at least 8 characters")
    .max(200, "must have at most 200 characters")
    .nullable()
    .describe("What a visitor has to enter; null: nothing"),
  isFollowing: z
    .boolean()
    .describe("Whether the page is brought up to date when there are newer results for the defaults"),
};

export const CreatePublicLink = z.strictObject({
  item: PublicLinkItem,
  expiresAt: fields.expiresAt.default(null),
  password: fields.password.default(null),
  isFollowing: fields.isFollowing.default(true),
  choices: fields.choices.default([]),
});
export type CreatePublicLink = z.infer<typeof CreatePublicLink>;

/** Absent fields are not changed. */
export const UpdatePublicLink = z.strictObject({
  id: Id,
  expiresAt: fields.expiresAt.optional(),
  password: fields.password.optional(),
  isFollowing: fields.isFollowing.optional(),
  choices: fields.choices.optional(),
});
export type UpdatePublicLink = z.infer<typeof UpdatePublicLink>;

export const PublicLinkId = z.strictObject({ id: Id });
export type PublicLinkId = z.infer<typeof PublicLinkId>;

export const PublicLink = z.object({
  id: Id,
  item: z.object({
    kind: z.enum(["reference", "dashboard"]),
    id: Id,
    title: z.string(),
    shortId: z.string().nullable(),
  }),
  state: z
    .enum(["open", "expired", "not_allowed", "owner_left", "no_page"])
    .describe(
      "Whether anybody with the link sees the page. If not: it has expired, an admin has turned public links off, its owner is no longer a member who may publish, or nothing is published yet",
    ),
  hasPassword: z.boolean(),
  expiresAt: Timestamp.nullable(),
  isFollowing: z.boolean(),
  choices: z.array(z.object({ name: z.string(), values: z.array(z.string()) })),
  pagesTotal: z.int().describe("How many combinations of published values there are; 1 without choices"),
  pagesMade: z.int().describe("How many of them have a page"),
  createdBy: Id,
  createdAt: Timestamp,
  ownerId: Id.describe(
    "With whose rights the page is brought up to date: who made, published or rotated it last, or changed its choices",
  ),
  publishedAt: Timestamp.nullable().describe("When the results of the page were read"),
  failure: z.string().nullable().describe("Why the page could not be brought up to date the last time"),
  views: z.int(),
  lastViewAt: Timestamp.nullable(),
});
export type PublicLink = z.infer<typeof PublicLink>;

/** The address is shown only here: what is stored does not tell it. */
export const CreatedPublicLink = PublicLink.extend({ url: z.url() });
export type CreatedPublicLink = z.infer<typeof CreatedPublicLink>;

export const PublicLinkList = z.object({
  isServed: z.boolean().describe("Whether this deployment serves public pages at all"),
  isAllowed: z.boolean().describe("Whether an admin allows public links in this organization"),
  links: z.array(PublicLink).describe("Newest first"),
});
export type PublicLinkList = z.infer<typeof PublicLinkList>;

export const PublicLinksOfItem = PublicLinkList.extend({
  inputs: ParameterInputs.describe("The filters or parameters that visitors can be given to choose"),
});
export type PublicLinksOfItem = z.infer<typeof PublicLinksOfItem>;
