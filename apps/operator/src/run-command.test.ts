import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDeps } from "@querybell/core/open-deps";
import { dbTest } from "@querybell/core/testing";
import { expect } from "vitest";
import { CommandError } from "./command-error.ts";
import { runCommand } from "./run-command.ts";

const operatorTest = dbTest
  .extend("folder", async ({ task: _ }, { onCleanup }) => {
    const folder = await mkdtemp(join(tmpdir(), "querybell-operator-"));
    onCleanup(() => rm(folder, { recursive: true }));
    return folder;
  })
  .extend("operator", ({ databaseUrl, sealingKeys, clock }) => {
    const settings = {
      DATABASE_URL: databaseUrl,
      DATABASE_POOL_SIZE: 2,
      SEALING_KEYS: sealingKeys,
      PUBLIC_URL: "https://querybell.example",
      REST_COMPATIBILITY: "retired" as const,
      DUCKDB_FOLDER: "",
      ANALYTICS_NETWORKS: "",
      SMTP_URL: undefined,
    };
    const open = () => ({ deps: openDeps({ settings, clock, onError: () => {} }), databaseUrl });
    return (...args: string[]) => runCommand(args, open);
  });

operatorTest("creates an organization whose owner joins by the printed link", async ({ operator, deps }) => {
  const printed = await operator("organization", "create", "--name", "Acme", "--owner", "Owner@Acme.example");
  const [, slug = ""] = printed.match(/^Created (acme-[0-9a-f]{6})\./) ?? [];
  expect(printed).toMatch(/https:\/\/querybell\.example\/invitation#[\w-]{43}$/);
  const organization = await deps.db.prisma.organization.findUniqueOrThrow({
    where: { slug },
    include: { invitations: true, auditEntries: true },
  });
  expect(organization).toMatchObject({
    restCompatibility: "retired",
    invitations: [{ email: "owner@acme.example", role: "owner", createdBy: null }],
    auditEntries: [{ action: "organization.created", actorUserId: null }, { action: "invitation.created" }],
  });
  expect(await operator("organization", "list")).toContain(
    `${slug}\tAcme\tmembers: 0\twebhooks: off\trest: retired`,
  );
});

operatorTest(
  "turns webhooks on and off, and REST back to live, with an audit entry each",
  async ({ operator, make, deps }) => {
    const { slug, organizationId } = await make.organization();
    await operator("webhooks", "on", "--organization", slug);
    await operator("rest", "retired", "--organization", slug);
    await operator("rest", "live", "--organization", slug);
    await operator("rest", "live", "--organization", slug);
    expect(await operator("organization", "list")).toMatch(new RegExp(`${slug}.*webhooks: on\trest: live`));
    const audit = await deps.db.prisma.auditEntry.findMany({
      where: { organizationId },
      orderBy: { id: "asc" },
    });
    expect(audit.map(({ actorUserId, detail }) => ({ actorUserId, ...(detail as object) }))).toEqual([
      { actorUserId: null, setting: "webhooksEnabled", from: false, to: true },
      { actorUserId: null, setting: "restCompatibility", from: "live", to: "retired" },
      { actorUserId: null, setting: "restCompatibility", from: "retired", to: "live" },
    ]);
  },
);

operatorTest(
  "lets the REST routes live until a day, and without one for good",
  async ({ operator, make, deps, clock }) => {
    const { slug } = await make.organization();
    const read = () => deps.db.prisma.organization.findUniqueOrThrow({ where: { slug } });
    const day = new Date(clock.now().getTime() + 40 * 86_400_000).toISOString().slice(0, 10);
    const live = ["rest", "live", "--organization", slug];
    expect(await operator(...live, "--sunset", day)).toContain(`live for ${slug} until ${day}`);
    expect(await read()).toMatchObject({ restCompatibility: "live", restSunsetAt: new Date(day) });
    await expect(operator(...live, "--sunset", "2020-01-01")).rejects.toThrow(/must be in the future/);
    await expect(operator(...live, "--sunset", "soon")).rejects.toThrow(/must look like/);
    await operator(...live);
    expect(await read()).toMatchObject({ restCompatibility: "live", restSunsetAt: null });
  },
);

operatorTest("makes a link to set a new password", async ({ operator, make }) => {
  const { email } = await make.owner();
  expect(await operator("reset-password", "--email", email)).toMatch(/\/reset-password#[\w-]{43}$/);
});

operatorTest("removes the second factors of a person", async ({ operator, make, deps, clock }) => {
  const { email, userId } = await make.owner();
  const createdAt = clock.now();
  await deps.db.prisma.totpFactor.create({
    data: { userId, sealedSecret: "sealed", lastUsedStep: 0, createdAt, confirmedAt: createdAt },
  });
  expect(await operator("reset-second-factor", "--email", email)).toContain("the password alone");
  expect(await deps.db.prisma.totpFactor.count({ where: { userId } })).toBe(0);
});

operatorTest("disables and enables a person, and ends sessions", async ({ operator, make, deps }) => {
  const { email, userId, organizationId } = await make.owner();
  const { slug } = await deps.db.prisma.organization.findUniqueOrThrow({ where: { id: organizationId } });
  expect(await operator("end-sessions", "--email", email)).toBe(`Ended 1 session of ${email}.`);
  expect(await operator("disable-person", "--email", email)).toBe(
    [
      `${email} is disabled: 0 sessions ended, 0 API keys and programs revoked. What they made stays, and their automations go on.`,
      `${slug} has no other owner who can sign in.`,
    ].join("\n"),
  );
  await expect(operator("disable-person", "--email", email)).rejects.toThrow("is disabled already");
  expect(await operator("enable-person", "--email", email)).toBe(`${email} can sign in again.`);
  expect(await operator("end-all-sessions")).toMatch(/^Ended \d+ sessions?\.$/);
  expect(await deps.db.prisma.user.count({ where: { id: userId, disabledAt: null } })).toBe(1);
});

operatorTest("asks for the deletion of an organization, and cancels it", async ({ operator, make }) => {
  const { slug } = await make.organization();
  const named = ["--organization", slug];
  expect(await operator("organization", "delete", ...named)).toContain(
    `The deletion of ${slug} begins at 20`,
  );
  expect(await operator("organization", "list")).toMatch(new RegExp(`${slug}.*\tdeletion: 20`));
  expect(await operator("organization", "cancel-deletion", ...named)).toBe(`${slug} will not be deleted.`);
  await expect(operator("organization", "cancel-deletion", ...named)).rejects.toThrow("Nobody has asked");
});

operatorTest(
  "exports the audit log of all organizations or one, whole or since a time",
  async ({ operator, make, clock, folder }) => {
    const { slug } = await make.organization();
    const { slug: other } = await make.organization();
    for (const name of [slug, other]) await operator("webhooks", "on", "--organization", name);
    await clock.advance(86_400_000);
    const since = clock.now().toISOString();
    await operator("webhooks", "off", "--organization", slug);

    const read = async (file: string): Promise<{ organization: string; action: string; at: string }[]> =>
      (await readFile(join(folder, file), "utf8"))
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line));
    const one = ["--organization", slug, "--since", since];
    expect(await operator("audit", "export", "--to", join(folder, "one"), ...one)).toContain("2 entries");
    expect(await read("one")).toMatchObject([
      { organization: slug, action: "audit_log.exported", byOperator: true, detail: { from: since } },
      { organization: slug, action: "settings.changed", byOperator: true, detail: { to: false } },
    ]);
    await operator("audit", "export", "--to", join(folder, "all"));
    const all = await read("all");
    expect(all.filter(({ organization }) => organization === slug)).toHaveLength(4);
    expect(all.filter(({ organization }) => organization === other)).toHaveLength(2);

    const again = operator("audit", "export", "--to", join(folder, "one"));
    await expect(again).rejects.toThrow("exists already. Name a new file");
    const nowhere = operator("audit", "export", "--to", join(folder, "missing", "file"));
    await expect(nowhere).rejects.toThrow("cannot be created");
    const unknown = operator("audit", "export", "--to", join(folder, "x"), "--organization", "no-such");
    await expect(unknown).rejects.toThrow("no organization with the short name no-such");
    expect((await readdir(folder)).toSorted()).toEqual(["all", "one"]);
  },
);

operatorTest(
  "shows every command with its options, and the docs have the same ones",
  async ({ operator }) => {
    const lines = (await operator("--help")).split("\n");
    const shown = lines.filter((line) => /^ {2}\S/.test(line)).map((line) => line.trim());
    const docs = await readFile(new URL("../../../docs/operating.md", import.meta.url), "utf8");
    const documented = [...docs.matchAll(/^\| `pnpm operator ([^`]*)`/gm)].map(([, command]) => command);
    expect(shown).toEqual(documented);
  },
);

operatorTest.for([
  { args: [], says: /^Usage:/ },
  { args: ["organization", "destroy"], says: /^There is no command organization destroy\.\nUsage:/ },
  { args: ["organization", "create", "--name", "Acme"], says: /Add --owner/ },
  {
    args: ["organization", "create", "--name", "Acme", "--owner", "nobody"],
    says: /^--owner must be an email address\.$/,
  },
  {
    args: ["organization", "create", "--name", " ", "--owner", "a@acme.example"],
    says: /^--name must not be empty\.$/,
  },
  { args: ["reset-password", "--email", "nobody"], says: /^--email must be an email address\.$/ },
  {
    args: ["rest", "live", "--organization", "acme", "--sunset", "soon"],
    says: /^--sunset must look like 2027-01-31/,
  },
  {
    args: ["webhooks", "on", "--organization", "acme", "--sunset", "2027-01-01"],
    says: /^The command webhooks on has no option --sunset\.\nUsage: pnpm operator webhooks on --organization <slug>$/,
  },
  {
    args: ["webhooks", "on", "--organization", "no-such"],
    says: /no organization with the short name no-such/,
  },
  { args: ["reset-password", "--email", "nobody@example.test"], says: /Nobody has an account/ },
  { args: ["reset-second-factor", "--email", "nobody@example.test"], says: /Nobody has an account/ },
  { args: ["--wat"], says: /^Unknown option '--wat'\.\n/ },
])("refuses $args with the reason", async ({ args, says }, { operator }) => {
  const failure = operator(...args);
  await expect(failure).rejects.toThrow(says);
  await expect(failure).rejects.toBeInstanceOf(CommandError);
});

// The last one, because other commands refuse a database that lacks a migration.
operatorTest("says which migration failed and why", async ({ operator, deps }) => {
  await deps.db.pool.query("DELETE FROM _prisma_migrations WHERE migration_name LIKE '%_baseline'");
  const failure = operator("migrate");
  await expect(failure).rejects.toBeInstanceOf(CommandError);
  await expect(failure).rejects.toThrow(/_baseline failed .* type "[a-z_]+" already exists$/);
});
