export interface Snippet {
  program: string;
  /** Where the text goes, or what to do. */
  steps: string;
  code: string;
}

const json = (value: unknown): string => JSON.stringify(value, null, 2);

/** How programs connect to the MCP server with an API key. */
export function keySnippets(url: string, key: string): Snippet[] {
  const authorization = `Bearer ${key}`;
  return [
    {
      program: "Claude Code",
      steps: "Run this command in a terminal.",
      code: `claude mcp add --transport http querybell ${url} --header "Authorization: ${authorization}"`,
    },
    {
      program: "Claude Desktop",
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
    {
      program: "Cursor",
      steps: "Add this to ~/.cursor/mcp.json, or to .cursor/mcp.json of one project.",
      code: json({ mcpServers: { querybell: { url, headers: { Authorization: authorization } } } }),
    },
    {
      program: "VS Code",
      steps: "Add this to .vscode/mcp.json. VS Code asks for the key and keeps it.",
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
    {
      program: "AI SDK",
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
  ];
}
