import { z } from "zod";

// https://discord.com/developers/docs/resources/message#embed-object-embed-limits
const Embed = z.strictObject({
  title: z.string().min(1).max(256).optional(),
  description: z.string().min(1).max(4_096).optional(),
  url: z.url().optional(),
  color: z.int().min(0).max(0xffffff),
  timestamp: z.iso.datetime().optional(),
  footer: z.strictObject({ text: z.string().min(1).max(2_048) }).optional(),
  fields: z
    .array(z.strictObject({ name: z.string().min(1).max(256), value: z.string().min(1).max(1_024) }))
    .max(25)
    .optional(),
  image: z.strictObject({ url: z.string().regex(/^attachment:\/\/[a-z0-9-]+\.png$/) }).optional(),
});

const lengthOf = ({ title = "", description = "", footer, fields = [] }: z.infer<typeof Embed>): number =>
  [title, description, footer?.text ?? "", ...fields.flatMap(({ name, value }) => [name, value])].join("")
    .length;

/**
 * What a webhook accepts: https://discord.com/developers/docs/resources/webhook#execute-webhook. At most 10 embeds, with at
 * most 6000 characters in all.
 */
export const DiscordMessage = z
  .strictObject({
    embeds: z.array(Embed).min(1).max(10),
    // https://discord.com/developers/docs/resources/message#allowed-mentions-object: nobody.
    allowed_mentions: z.strictObject({ parse: z.array(z.never()) }),
    // https://discord.com/developers/docs/resources/message#attachment-object: a description of at most 1024 characters.
    attachments: z
      .array(z.strictObject({ id: z.int(), filename: z.string(), description: z.string().min(1).max(1_024) }))
      .max(10)
      .optional(),
  })
  .refine(
    ({ embeds }) => embeds.reduce((sum, embed) => sum + lengthOf(embed), 0) <= 6_000,
    "embeds have more than 6000 characters",
  );
