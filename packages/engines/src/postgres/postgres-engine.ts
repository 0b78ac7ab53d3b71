import { z } from "zod";
import type { Engine } from "../engine.ts";
import { postgresDialect } from "./dialect.ts";

export const PostgresConfiguration = z.strictObject({
  host: z
    .string()
    .max(253)
    .regex(/^[A-Za-z0-9._:-]+$/, "must be a host name or an address"),
  port: z.int().min(1).max(65_535).default(5432),
  database: z.string().min(1).max(63),
  user: z.string().min(1).max(63),
  password: z.string().max(1000),
  /** `verify` checks the certificate and its name; `require` encrypts without checking who answers. */
  tls: z.enum(["verify", "require", "off"]).default("verify"),
  /** The certificate authority in PEM form, where it is not a public one. */
  tlsCertificateAuthority: z.string().max(100_000).optional(),
});
export type PostgresConfiguration = z.infer<typeof PostgresConfiguration>;

export const postgresEngine: Engine<PostgresConfiguration> = {
  configuration: PostgresConfiguration,
  dialect: postgresDialect,
  secrets: ["password"],
  networkHost: (configuration) => configuration.host,
};
