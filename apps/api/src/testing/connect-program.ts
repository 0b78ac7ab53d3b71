import { createHash } from "node:crypto";
import type { Deps } from "@querybell/core";
import { approveConnection, issueTokens, registerClient } from "@querybell/core/oauth";
import type { Caller, ConnectionRequest } from "@querybell/domain";

const redirectUri = "http://127.0.0.1:7777/callback";
const verifier = "the verifier of a program in a test, of 43 to 128".replaceAll(/[ ,]/g, "-");

/** What a program asks for that has just registered. */
export async function makeConnectionRequest(deps: Deps, name: string): Promise<ConnectionRequest> {
  const { clientId } = await registerClient(deps, { client_name: name, redirect_uris: [redirectUri] });
  return {
    ...{ client_id: clientId, redirect_uri: redirectUri, response_type: "code", state: "8f3c" },
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
    ...{ scope: "queries:read queries:run", resource: `${deps.deployment.publicUrl}/mcp` },
  };
}

/** Gives a program its tokens for the code in the address to which the browser was sent. */
export const useCode = (deps: Deps, { client_id }: ConnectionRequest, url: string) =>
  issueTokens(deps, {
    ...{ grant_type: "authorization_code", code: new URL(url).searchParams.get("code") ?? "" },
    ...{ client_id: client_id ?? "", code_verifier: verifier },
  });

/** A program that this person has connected. */
export async function connectProgram(deps: Deps, caller: Caller, name: string) {
  const request = await makeConnectionRequest(deps, name);
  const { url } = await approveConnection(deps, caller, { request, scopes: ["queries:read"], days: 30 });
  return useCode(deps, request, url);
}
