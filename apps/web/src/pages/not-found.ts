import { link } from "../element.ts";
import { cardPage, type Page, paragraph } from "../page.ts";

export const notFoundPage = (path: string): Page =>
  cardPage(
    "There is nothing here",
    paragraph("No page has the address ", path, ". It may have been mistyped, or moved."),
    paragraph(link("/", "Go to the start page"), " or look into ", link("/docs/", "the docs"), "."),
  );
