import {
  createPublicLink,
  listPublicLinks,
  listPublicLinksOf,
  publishAgain,
  revokePublicLink,
  rotatePublicLink,
  updatePublicLink,
} from "@querybell/core/public-links";
import {
  CreatedPublicLink,
  CreatePublicLink,
  PublicLink,
  PublicLinkId,
  PublicLinkItem,
  PublicLinkList,
  PublicLinksOfItem,
  UpdatePublicLink,
} from "@querybell/domain";
import type { TRPCRouterRecord } from "@trpc/server";
import { adminProcedure, checked, memberProcedure, parsed } from "../trpc/procedures.ts";

const noSuchLink = "there is no such public link, or the caller does not see what it shows";
const noSuchItem = "there is no such chart or dashboard";
const noSuchValue = "a published value does not fit its parameter";
const noResult = "the chart has no stored result for its defaults that everybody may see";

export const publicLinkRouter = {
  list: adminProcedure
    .meta({ summary: "Lists all [public links](../public-links.md) of the organization, newest first" })
    .output(checked(PublicLinkList))
    .query(({ ctx }) => listPublicLinks(ctx.deps, ctx.caller)),
  listOf: memberProcedure()
    .meta({
      summary: "Lists the public links of a chart or dashboard, newest first",
      errors: { not_found: noSuchItem },
    })
    .input(parsed(PublicLinkItem))
    .output(checked(PublicLinksOfItem))
    .query(({ ctx, input }) => listPublicLinksOf(ctx.deps, ctx.caller, input)),
  create: memberProcedure()
    .meta({
      waitsForEngine: true,
      summary:
        "Publishes what a chart or dashboard shows now, under a new address. Only this answer has the address",
      errors: {
        not_found: noSuchItem,
        conflict: `${noResult}, or the organization has 500 links`,
        invalid_parameter_value: noSuchValue,
      },
    })
    .input(parsed(CreatePublicLink))
    .output(checked(CreatedPublicLink))
    .mutation(({ ctx, input }) => createPublicLink(ctx.deps, ctx.caller, input)),
  update: memberProcedure()
    .meta({
      waitsForEngine: true,
      summary:
        "Changes the expiry, the password, whether the page follows newer results, or what visitors choose",
      errors: { not_found: noSuchLink, conflict: noResult, invalid_parameter_value: noSuchValue },
    })
    .input(parsed(UpdatePublicLink))
    .output(checked(PublicLink))
    .mutation(({ ctx, input }) => updatePublicLink(ctx.deps, ctx.caller, input)),
  publish: memberProcedure()
    .meta({
      waitsForEngine: true,
      summary:
        "Replaces the page by what the item shows now or, with choices, runs the queries of every combination. The caller becomes the owner of the link",
      errors: { not_found: noSuchLink, conflict: noResult, invalid_parameter_value: noSuchValue },
    })
    .input(parsed(PublicLinkId))
    .output(checked(PublicLink))
    .mutation(({ ctx, input }) => publishAgain(ctx.deps, ctx.caller, input)),
  rotate: memberProcedure()
    .meta({
      summary: "Gives a link another address; the one before ends. The caller becomes the owner of the link",
      errors: { not_found: noSuchLink },
    })
    .input(parsed(PublicLinkId))
    .output(checked(CreatedPublicLink))
    .mutation(({ ctx, input }) => rotatePublicLink(ctx.deps, ctx.caller, input)),
  revoke: memberProcedure()
    .meta({
      summary: "Ends a link for good, with its page",
      errors: { not_found: noSuchLink },
    })
    .input(parsed(PublicLinkId))
    .mutation(({ ctx, input }) => revokePublicLink(ctx.deps, ctx.caller, input)),
} satisfies TRPCRouterRecord;
