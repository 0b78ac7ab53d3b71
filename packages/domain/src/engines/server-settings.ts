import { z } from "zod";
import { Text } from "../text.ts";

/** The settings of an engine that has a server. */
export const Host = z
  .string()
  .max(253)
  .regex(/^[A-Za-z0-9._:-]+$/, "must be a host name or an address")
  .meta({ examples: ["127.0.0.1"] });

export const Port = z.int().min(1).max(65_535);

export const tlsSettings = {
  tls: z
    .enum(["verify", "require", "off"])
    .default("verify")
    .describe(
      "`verify` checks the certificate and its name; `require` encrypts without checking the certificate",
    ),
  tlsCertificateAuthority: Text.max(100_000)
    .optional()
    .describe("The certificate authority as PEM, if it is not a public one"),
};
