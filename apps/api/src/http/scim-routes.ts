import type { Deps } from "@querybell/core";
import type { RateLimiter } from "@querybell/core/limits";
import {
  createScimGroup,
  createScimUser,
  deleteScimGroup,
  deleteScimUser,
  getScimGroup,
  getScimUser,
  listScimGroups,
  listScimUsers,
  type Provisioner,
  patchScimGroup,
  patchScimUser,
  replaceScimGroup,
  replaceScimUser,
  ScimError,
  type ScimGroup,
  type ScimList,
  type ScimUser,
  verifyScimToken,
} from "@querybell/core/scim";
import { errorCodes, ScimGroupContent, ScimListQuery, ScimPatch, ScimUserContent } from "@querybell/domain";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { refuseMalformedInput } from "../trpc/input-checks.ts";
import { presentedKey } from "./authenticate.ts";
import { httpToAppError, logServerError } from "./problem.ts";
import { decodeBody } from "./request-body.ts";

const schemas = {
  user: "urn:ietf:params:scim:schemas:core:2.0:User",
  group: "urn:ietf:params:scim:schemas:core:2.0:Group",
  list: "urn:ietf:params:scim:api:messages:2.0:ListResponse",
  error: "urn:ietf:params:scim:api:messages:2.0:Error",
  config: "urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig",
  type: "urn:ietf:params:scim:schemas:core:2.0:ResourceType",
};

const contentType = "application/scim+json; charset=utf-8";

interface Call {
  provisioner: Provisioner;
  id: string;
  request: FastifyRequest;
}

/** Provisioning by SCIM 2.0 (RFC 7644): a provider of identities creates, changes and disables people and groups. */
export async function addScimRoutes(app: FastifyInstance, deps: Deps, limiter: RateLimiter): Promise<void> {
  const base = `${deps.deployment.publicUrl}/api/scim/v2`;
  const toUser = ({ id, content, createdAt, updatedAt }: ScimUser) => ({
    schemas: [schemas.user],
    id,
    ...content,
    ...(content.externalId === null && { externalId: undefined }),
    meta: metaOf("User", { id, createdAt, updatedAt }),
  });
  const toGroup = ({ id, displayName, externalId, members, createdAt, updatedAt }: ScimGroup) => ({
    schemas: [schemas.group],
    id,
    displayName,
    ...(externalId !== null && { externalId }),
    ...(members && {
      members: members.map((member) => ({ ...member, $ref: `${base}/Users/${member.value}` })),
    }),
    meta: metaOf("Group", { id, createdAt, updatedAt }),
  });
  const metaOf = (
    resourceType: "User" | "Group",
    { id, createdAt, updatedAt }: { id: string; createdAt: Date; updatedAt: Date },
  ) => ({
    resourceType,
    created: createdAt.toISOString(),
    lastModified: updatedAt.toISOString(),
    location: `${base}/${resourceType}s/${id}`,
  });
  const toList = <Resource>(
    { total, startIndex, resources }: ScimList<Resource>,
    to: (one: Resource) => object,
  ) => ({
    schemas: [schemas.list],
    totalResults: total,
    startIndex,
    itemsPerPage: resources.length,
    Resources: resources.map(to),
  });

  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    for (const type of ["application/scim+json", "application/json"]) {
      scope.addContentTypeParser(type, { parseAs: "buffer" }, (request, body: Buffer, done) => {
        try {
          const text = decodeBody(body, request.headers["content-type"]);
          done(null, text === "" ? undefined : JSON.parse(text));
        } catch {
          done(new ScimError(400, "The body is not valid JSON in UTF-8.", "invalidSyntax"));
        }
      });
    }
    scope.setErrorHandler((error, request, reply) => sendError(error, request, reply));

    const route = (
      method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE",
      path: string,
      answer: (call: Call) => Promise<object | undefined>,
    ) =>
      scope.route({
        method,
        url: `/api/scim/v2${path}`,
        handler: async (request, reply) => {
          limiter.take(`from:${request.ip}`);
          const provisioner = await verifyScimToken(deps, presentedKey(request) ?? "");
          if (!provisioner)
            throw new ScimError(401, "This token is unknown. Create another one in Querybell.");
          refuseMalformedInput(request.body);
          const { id } = z.object({ id: z.string().default("") }).parse(request.params);
          const body = await answer({ provisioner, id, request });
          reply.code(method === "POST" ? 201 : body ? 200 : 204).header("content-type", contentType);
          return reply.send(body ? JSON.stringify(body) : undefined);
        },
      });

    route("GET", "/Users", async ({ provisioner, request }) =>
      toList(await listScimUsers(deps, provisioner, parse(ScimListQuery, request.query)), toUser),
    );
    route("POST", "/Users", async ({ provisioner, request }) =>
      toUser(await createScimUser(deps, provisioner, parse(ScimUserContent, request.body))),
    );
    route("GET", "/Users/:id", async ({ provisioner, id }) =>
      toUser(await getScimUser(deps, provisioner, id)),
    );
    route("PUT", "/Users/:id", async ({ provisioner, id, request }) =>
      toUser(await replaceScimUser(deps, provisioner, id, parse(ScimUserContent, request.body))),
    );
    route("PATCH", "/Users/:id", async ({ provisioner, id, request }) =>
      toUser(await patchScimUser(deps, provisioner, id, parse(ScimPatch, request.body))),
    );
    route("DELETE", "/Users/:id", async ({ provisioner, id }) => {
      await deleteScimUser(deps, provisioner, id);
      return undefined;
    });

    route("GET", "/Groups", async ({ provisioner, request }) =>
      toList(await listScimGroups(deps, provisioner, parse(ScimListQuery, request.query)), toGroup),
    );
    route("POST", "/Groups", async ({ provisioner, request }) =>
      toGroup(await createScimGroup(deps, provisioner, parse(ScimGroupContent, request.body))),
    );
    route("GET", "/Groups/:id", async ({ provisioner, id }) =>
      toGroup(await getScimGroup(deps, provisioner, id)),
    );
    route("PUT", "/Groups/:id", async ({ provisioner, id, request }) =>
      toGroup(await replaceScimGroup(deps, provisioner, id, parse(ScimGroupContent, request.body))),
    );
    route("PATCH", "/Groups/:id", async ({ provisioner, id, request }) =>
      toGroup(await patchScimGroup(deps, provisioner, id, parse(ScimPatch, request.body))),
    );
    route("DELETE", "/Groups/:id", async ({ provisioner, id }) => {
      await deleteScimGroup(deps, provisioner, id);
      return undefined;
    });

    route("GET", "/ServiceProviderConfig", async () => ({
      schemas: [schemas.config],
      patch: { supported: true },
      bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
      filter: { supported: true, maxResults: 200 },
      changePassword: { supported: false },
      sort: { supported: false },
      etag: { supported: false },
      authenticationSchemes: [
        {
          type: "oauthbearertoken",
          name: "Token",
          description: "The organization's token, as a bearer token",
        },
      ],
    }));
    route("GET", "/ResourceTypes", async () => ({
      schemas: [schemas.list],
      totalResults: 2,
      startIndex: 1,
      itemsPerPage: 2,
      Resources: [
        { schemas: [schemas.type], id: "User", name: "User", endpoint: "/Users", schema: schemas.user },
        { schemas: [schemas.type], id: "Group", name: "Group", endpoint: "/Groups", schema: schemas.group },
      ],
    }));
  });
}

function parse<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const { data, error } = schema.safeParse(input);
  if (!error) return data;
  const [issue] = error.issues;
  throw new ScimError(400, `${issue?.path.join(".") || "The body"}: ${issue?.message}`, "invalidValue");
}

function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (error instanceof ScimError) return sendScimError(reply, error);
  const appError = httpToAppError(error);
  logServerError(request.log, appError);
  if (appError.retryAfterSeconds !== undefined)
    reply.header("retry-after", String(appError.retryAfterSeconds));
  const { status } = errorCodes[appError.code];
  return sendScimError(reply, new ScimError(status, appError.message));
}

function sendScimError(reply: FastifyReply, { status, message, scimType }: ScimError): FastifyReply {
  const body = {
    schemas: [schemas.error],
    status: String(status),
    ...(scimType !== undefined && { scimType }),
    detail: message,
  };
  return reply.code(status).header("content-type", contentType).send(JSON.stringify(body));
}
