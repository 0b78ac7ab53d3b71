import { codesIn } from "./to-app-error.ts";

/** By SQLSTATE, by the error codes of Node and OpenSSL, or by the message of the driver. */
const explanations: [cause: RegExp, sentence: string][] = [
  [
    /^(28P01|28000)$/,
    "The server of DATABASE_URL refuses the user, the password or this machine. Correct them, or pg_hba.conf of the server.",
  ],
  [/^3D000$/, "The server of DATABASE_URL has no database of that name. Create it, or correct the name."],
  [
    /^53300$/,
    "The database has no connection left. Raise max_connections of the server, or lower DATABASE_POOL_SIZE of the processes.",
  ],
  [
    /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_GET_ISSUER_CERT|UNABLE_TO_GET_ISSUER_CERT_LOCALLY|UNABLE_TO_VERIFY_LEAF_SIGNATURE)$/,
    "The certificate of the database is not signed by an authority that is known here. Name the file of its authority in DATABASE_URL: ?sslmode=verify-full&sslrootcert=/etc/querybell/database-ca.pem",
  ],
  [
    /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    "The certificate of the database is not for the host in DATABASE_URL. Write the name that is in the certificate.",
  ],
  [
    /^(CERT_HAS_EXPIRED|CERT_NOT_YET_VALID)$/,
    "The certificate of the database is not valid today. Renew it, or correct the clock of this machine.",
  ],
  [
    /^The server does not support SSL connections$/,
    "DATABASE_URL asks for TLS, and the server does not offer it. Set ssl = on there, or remove sslmode.",
  ],
  [
    /^(ENOENT|EACCES|EISDIR)$/,
    "A file of a certificate or key in DATABASE_URL (sslrootcert, sslcert, sslkey) cannot be read. Check its path and its owner.",
  ],
  [
    /^(ENOTFOUND|EAI_AGAIN)$/,
    "The host in DATABASE_URL is not known here. Correct it, or the name server of this machine.",
  ],
  [
    /^timeout exceeded when trying to connect$/,
    "All connections of this process to the database are in use. Look for slow statements, or raise DATABASE_POOL_SIZE.",
  ],
  [
    /^(ECONNREFUSED|ECONNRESET|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|57P03|Connection terminated .*|timeout .*)$/,
    "No database answers at the address in DATABASE_URL. Start it, or correct the address.",
  ],
];

/** Why no connection to the database could be made, for the operator. Undefined for other errors. */
export function explainConnectionFailure(error: unknown): string | undefined {
  const causes = [...codesIn(error)];
  return explanations.find(([cause]) => causes.some((code) => cause.test(code)))?.[1];
}
