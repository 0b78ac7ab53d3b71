import { z } from "zod";

// https://discord.com/developers/docs/resources/message#embed-object-embed-limits
const Embed = z.strictObject({
  title: z.string().min(1).max(256),
  description: z.string().min(1).max(4_096),
  url: z.url().optional(),
  color: z.int().min(0).max(0xffffff),
  timestamp: z.iso.datetime(),
  footer: z.strictObject({ text: z.string().min(1).max(2_048) }),
  image: z.strictObject({ url: z.string().regex(/^attachment:\/\/[a-z0-9-]+\.png$/) }).optional(),
});

/**
 * What a webhook accepts: https://discord.com/developers/docs/resources/webhook#execute-webhook. At most 10 embeds, with at
 * most 6000 characters in all.
 */
export const DiscordMessage = z
  .strictObject({
    embeds: z.array(Embed).min(1).max(10),
    // https://discord.com/developers/docs/resources/message#allowed-mentions-object: nobody.
    allowed_mentions: z.strictObject({ parse: z.array(z.never()) }),
    attachments: z
      .array(z.strictObject({ id: z.int(), filename: z.string(), description: z.string() }))
      .optional(),
  })
  .refine(
    ({ embeds }) =>
      embeds.reduce(
        (sum, { title, description, footer }) => sum + title.length + description.length + footer.text.length,
        0,
      ) <= 6_000,
    "embeds have more than 6000 characters",
  );
