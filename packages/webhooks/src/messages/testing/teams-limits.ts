import { z } from "zod";

// https://adaptivecards.io/explorer/RichTextBlock.html, TextRun.html: text runs do not support markdown.
const TextRun = z.strictObject({
  type: z.literal("TextRun"),
  text: z.string().min(1),
  weight: z.enum(["Lighter", "Default", "Bolder"]).optional(),
  size: z.enum(["Small", "Default", "Medium", "Large", "ExtraLarge"]).optional(),
  isSubtle: z.boolean().optional(),
  fontType: z.enum(["Default", "Monospace"]).optional(),
});

/**
 * https://adaptivecards.io/explorer/Image.html. A picture that everybody can open, over https, of at most 1024 × 1024 pixels
 * and 1 MB: https://learn.microsoft.com/microsoftteams/platform/task-modules-and-cards/cards/cards-reference.
 */
const Image = z.strictObject({
  type: z.literal("Image"),
  url: z.url({ protocol: /^https$/ }),
  altText: z.string().min(1),
  size: z.enum(["Auto", "Stretch", "Small", "Medium", "Large"]),
});

const Card = z.strictObject({
  $schema: z.literal("http://adaptivecards.io/schemas/adaptive-card.json"),
  type: z.literal("AdaptiveCard"),
  // https://learn.microsoft.com/microsoftteams/platform/task-modules-and-cards/cards/cards-format: Teams supports 1.5 and
  // below.
  version: z.enum(["1.2", "1.3", "1.4", "1.5"]),
  fallbackText: z.string(),
  msteams: z.strictObject({ width: z.literal("Full") }),
  body: z
    .array(
      z.discriminatedUnion("type", [
        z.strictObject({ type: z.literal("RichTextBlock"), inlines: z.array(TextRun).min(1) }),
        Image,
      ]),
    )
    .min(1),
  // At most 6 actions, as of the same page.
  actions: z
    .array(z.strictObject({ type: z.literal("Action.OpenUrl"), title: z.string().min(1), url: z.url() }))
    .max(6)
    .optional(),
});

/**
 * What the webhook of a workflow accepts:
 * https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors/how-to/connectors-using, with at most 28 KB:
 * https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors/how-to/add-incoming-webhook and
 * https://learn.microsoft.com/connectors/teams.
 */
export const TeamsMessage = z
  .strictObject({
    type: z.literal("message"),
    attachments: z
      .array(
        z.strictObject({
          contentType: z.literal("application/vnd.microsoft.card.adaptive"),
          contentUrl: z.null(),
          content: Card,
        }),
      )
      .length(1),
  })
  .refine((message) => Buffer.byteLength(JSON.stringify(message)) <= 28 * 1024, "is larger than 28 KB");
