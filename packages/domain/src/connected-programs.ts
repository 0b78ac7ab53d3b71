import { z } from "zod";
import { isAtLeast, type Role, Scope } from "./caller.ts";
import { Id } from "./ids.ts";
import { Timestamp } from "./time.ts";

/** The scopes that have a meaning over MCP. */
export const mcpScopes = Scope.options.filter((scope) => scope !== "uploads:write");

/** What a program gets that asks for nothing. */
export const defaultMcpScopes: readonly Scope[] = [
  "queries:read",
  "queries:run",
  "references:read",
  "automations:read",
];

const viewerScopes: readonly Scope[] = [...defaultMcpScopes, "events:subscribe"];

/** The scopes with which a person of this role can do anything over MCP. */
export const mcpScopesOf = (role: Role): readonly Scope[] =>
  isAtLeast(role, "member") ? mcpScopes : viewerScopes;

/** How many days a program stays connected. */
export const ConnectionDays = z.union([z.literal(7), z.literal(30), z.literal(90), z.literal(365)], {
  error: "must be 7, 30, 90 or 365",
});
export type ConnectionDays = z.infer<typeof ConnectionDays>;

const parameter = z.string().max(2_000, "must have at most 2000 characters").optional();

/** What a program asks for, as it stands in the address of the page: OAuth 2.1, RFC 8707. */
export const ConnectionRequest = z.strictObject({
  client_id: parameter,
  redirect_uri: parameter,
  response_type: parameter,
  code_challenge: parameter,
  code_challenge_method: parameter,
  scope: parameter,
  state: parameter,
  resource: parameter,
});
export type ConnectionRequest = z.infer<typeof ConnectionRequest>;

const Program = z.object({
  name: z.string().describe("As the program calls itself. Nobody has checked it"),
  host: z.string().describe("Where the browser is sent with the code; `this computer` for a program on it"),
});

export const DescribedRequest = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("asks"),
    program: Program,
    scopes: z.array(Scope).describe("Those that it asks for and that the caller's role allows"),
    denyUrl: z.string().describe("Where the browser goes if the person says no"),
  }),
  z.object({
    kind: z.literal("refused"),
    message: z.string(),
    program: Program,
    returnUrl: z.string().describe("Tells the program why"),
  }),
]);
export type DescribedRequest = z.infer<typeof DescribedRequest>;

export const ApproveConnection = z.strictObject({
  request: ConnectionRequest,
  scopes: z
    .array(Scope)
    .min(1, "must name at least one scope")
    .transform((scopes) => [...new Set(scopes)].sort()),
  days: ConnectionDays,
});
export type ApproveConnection = z.infer<typeof ApproveConnection>;

export const ApprovedConnection = z.object({
  url: z.string().describe("Where the browser goes: to the program, with a code that it can use once"),
});
export type ApprovedConnection = z.infer<typeof ApprovedConnection>;

/** A program that a person has connected over OAuth, without its tokens. */
export const ConnectedProgram = z.object({
  id: Id,
  program: Program,
  organization: z.object({ id: Id, name: z.string() }),
  owner: z.object({ userId: Id, name: z.string() }).describe("Whose rights it has"),
  scopes: z.array(Scope),
  createdAt: Timestamp,
  expiresAt: Timestamp,
  lastUsedAt: Timestamp.nullable(),
});
export type ConnectedProgram = z.infer<typeof ConnectedProgram>;

export const ConnectedProgramId = z.strictObject({ id: Id });
export type ConnectedProgramId = z.infer<typeof ConnectedProgramId>;
