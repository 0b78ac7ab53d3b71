import { Anchor } from "@mantine/core";
import { type Block, type Inline, parseMarkdown } from "@querybell/domain/markdown";
import { Fragment, type ReactNode } from "react";
import { HrefLink } from "../../ui/links.tsx";
import classes from "./dashboard.module.css";

/** A text of a dashboard. It is made of elements, never of HTML. */
export const TextTile = ({ text }: { text: string }) => (
  <div className={classes.text}>
    {parseMarkdown(text).map((block, at) => (
      <Fragment key={String(at)}>{drawBlock(block)}</Fragment>
    ))}
  </div>
);

function drawBlock(block: Block): ReactNode {
  switch (block.kind) {
    case "heading": {
      // The title of the page is the only heading of the first level.
      const Heading = block.level === 1 ? "h2" : "h3";
      return <Heading data-level={block.level}>{drawParts(block.parts)}</Heading>;
    }
    case "paragraph":
      return <p>{drawParts(block.parts)}</p>;
    case "quote":
      return <blockquote>{drawParts(block.parts)}</blockquote>;
    case "code":
      return <pre>{block.text}</pre>;
    case "rule":
      return <hr />;
    case "list": {
      const List = block.isOrdered ? "ol" : "ul";
      return (
        <List>
          {block.items.map((parts, at) => (
            <li key={String(at)}>{drawParts(parts)}</li>
          ))}
        </List>
      );
    }
  }
}

const drawParts = (parts: readonly Inline[]): ReactNode =>
  parts.map((part, at) => <Fragment key={String(at)}>{drawPart(part)}</Fragment>);

function drawPart(part: Inline): ReactNode {
  switch (part.kind) {
    case "text":
      return part.text;
    case "code":
      return <code>{part.text}</code>;
    case "strong":
      return <strong>{drawParts(part.parts)}</strong>;
    case "emphasis":
      return <em>{drawParts(part.parts)}</em>;
    case "link":
      return part.href.startsWith("/") ? (
        <HrefLink href={part.href} underline="always">
          {drawParts(part.parts)}
        </HrefLink>
      ) : (
        <Anchor href={part.href} target="_blank" rel="noopener noreferrer" underline="always">
          {drawParts(part.parts)}
        </Anchor>
      );
  }
}
