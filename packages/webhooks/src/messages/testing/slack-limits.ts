import { z } from "zod";

// https://docs.slack.dev/reference/block-kit/composition-objects/text-object: 1 to 3000 characters, `emoji` for plain
// text only.
const text = (maxLength: number) => z.string().min(1).max(maxLength).refine(isEscaped, "has markup");

// https://docs.slack.dev/messaging/formatting-message-text#escaping: `&`, `<` and `>` of a text are entities. The rest
// is a link, a mention or a command, which only our own links may be.
function isEscaped(value: string): boolean {
  const withoutLink = value.replace(/^<https?:\/\/[^<>|]+\|[^<>|]+>$/, "");
  return !/[<>]/.test(withoutLink) && !/&(?!amp;|lt;|gt;)/.test(withoutLink);
}

const plain = (maxLength: number) =>
  z.strictObject({ type: z.literal("plain_text"), text: text(maxLength), emoji: z.boolean() });
const mrkdwn = (maxLength: number) => z.strictObject({ type: z.literal("mrkdwn"), text: text(maxLength) });

const Block = z.discriminatedUnion("type", [
  // https://docs.slack.dev/reference/block-kit/blocks/header-block: plain text of at most 150 characters.
  z.strictObject({ type: z.literal("header"), text: plain(150) }),
  // https://docs.slack.dev/reference/block-kit/blocks/section-block: text of at most 3000 characters.
  z.strictObject({ type: z.literal("section"), text: z.union([plain(3_000), mrkdwn(3_000)]) }),
  // https://docs.slack.dev/reference/block-kit/blocks/rich-text-block: the text of its elements has no markup.
  z.strictObject({
    type: z.literal("rich_text"),
    elements: z
      .array(
        z.strictObject({
          type: z.literal("rich_text_preformatted"),
          elements: z.array(z.strictObject({ type: z.literal("text"), text: z.string().min(1) })).min(1),
        }),
      )
      .min(1),
  }),
  // https://docs.slack.dev/reference/block-kit/blocks/image-block: an address of at most 3000 characters, and a plain text
  // without markup of at most 2000.
  z.strictObject({
    type: z.literal("image"),
    image_url: z.url({ protocol: /^https?$/ }).max(3_000),
    alt_text: z.string().min(1).max(2_000),
  }),
  // https://docs.slack.dev/reference/block-kit/blocks/context-block: at most 10 elements.
  z.strictObject({
    type: z.literal("context"),
    elements: z
      .array(z.union([plain(3_000), mrkdwn(3_000)]))
      .min(1)
      .max(10),
  }),
]);

/**
 * What an incoming webhook accepts. https://docs.slack.dev/reference/block-kit/blocks: at most 50 blocks in a message.
 * https://github.com/slackapi/bolt-js/issues/2509: about 13,000 characters in all blocks, which no page says.
 */
export const SlackMessage = z
  .strictObject({
    text: text(40_000),
    blocks: z.array(Block).min(1).max(50),
    unfurl_links: z.boolean(),
    unfurl_media: z.boolean(),
  })
  .refine(
    ({ blocks }) => blocks.reduce((sum, block) => sum + lengthOf(block), 0) <= 13_000,
    "blocks are too long",
  );

function lengthOf(block: z.infer<typeof Block>): number {
  switch (block.type) {
    case "context":
      return block.elements.reduce((sum, element) => sum + element.text.length, 0);
    case "image":
      return block.alt_text.length;
    case "rich_text":
      return block.elements
        .flatMap(({ elements }) => elements)
        .reduce((sum, { text: one }) => sum + one.length, 0);
    default:
      return block.text.text.length;
  }
}
