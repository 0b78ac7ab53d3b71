/** A text to enter in a program, and where. */
export interface Snippet {
  steps: string;
  code: string;
}

/** The ways in which a program connects to the MCP server. */
interface Ways {
  program: string;
  signIn?: Snippet;
  key?: Snippet;
}

const json = (value: unknown): string => JSON.stringify(value, null, 2);

const isPublic = "Its servers must reach the address: it needs a public name and https.";

export function waysToConnect(url: string, key: string): Ways[] {
  const authorization = `Bearer ${key}`;
  const add = `claude mcp add --transport http querybell ${url}`;
  return [
    {
      program: "Claude Code",
      signIn: { steps: "Run this command, then /mcp in Claude Code, and sign in there.", code: add },
      key: { steps: "Run this command.", code: `${add} --header "Authorization: ${authorization}"` },
    },
    {
      program: "Claude Desktop",
      signIn: {
        steps: `Settings, Connectors, Add custom connector: enter the address. ${isPublic}`,
        code: url,
      },
      key: {
        steps:
          "Add this to claude_desktop_config.json (Settings, Developer, Edit Config), and start the program again. It needs Node: mcp-remote passes the calls on.",
        code: json({
          mcpServers: {
            querybell: {
              command: "npx",
              // biome-ignore lint/suspicious/noTemplateCurlyInString: mcp-remote replaces it. Arguments with spaces break on Windows.
              args: ["-y", "mcp-remote", url, "--header", "Authorization:${QUERYBELL_KEY}"],
              env: { QUERYBELL_KEY: authorization },
            },
          },
        }),
      },
    },
    {
      program: "Cursor",
      signIn: {
        steps: "Add this to ~/.cursor/mcp.json, or to .cursor/mcp.json of one project, and sign in there.",
        code: json({ mcpServers: { querybell: { url } } }),
      },
      key: {
        steps: "Add this instead.",
        code: json({ mcpServers: { querybell: { url, headers: { Authorization: authorization } } } }),
      },
    },
    {
      program: "VS Code",
      signIn: {
        steps: "Add this to .vscode/mcp.json, start the server there, and sign in.",
        code: json({ servers: { querybell: { type: "http", url } } }),
      },
      key: {
        steps: "Add this instead. VS Code asks for the key and keeps it.",
        code: json({
          inputs: [
            { type: "promptString", id: "querybell-key", description: "Querybell API key", password: true },
          ],
          servers: {
            querybell: {
              type: "http",
              url,
              // biome-ignore lint/suspicious/noTemplateCurlyInString: VS Code replaces it.
              headers: { Authorization: "Bearer ${input:querybell-key}" },
            },
          },
        }),
      },
    },
    {
      program: "ChatGPT",
      signIn: {
        steps: `Settings, Apps, Advanced settings: turn on the developer mode. Then create an app with this address and OAuth. ${isPublic}`,
        code: url,
      },
    },
    {
      program: "AI SDK",
      key: {
        steps: "Install @ai-sdk/mcp, and set QUERYBELL_API_KEY in the environment of your program.",
        code: `import { createMCPClient } from "@ai-sdk/mcp";

const querybell = await createMCPClient({
  transport: {
    type: "http",
    url: "${url}",
    headers: { Authorization: \`Bearer \${process.env.QUERYBELL_API_KEY}\` },
  },
});
const tools = await querybell.tools();`,
      },
    },
  ];
}
