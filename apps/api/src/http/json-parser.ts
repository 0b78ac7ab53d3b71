import type { FastifyInstance } from "fastify";
import { decodeBody } from "./request-body.ts";

/** Accepts only bodies that are JSON in UTF-8. */
export function addJsonParser(app: FastifyInstance): void {
  const parseJson = app.getDefaultJsonParser("error", "error");
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, (request, body: Buffer, done) => {
    try {
      parseJson(request, decodeBody(body, request.headers["content-type"]), done);
    } catch (error) {
      done(error as Error);
    }
  });
}
