/** The config.json of the design this product follows, as an example that must always be read. */
export function seedConfig(): { version: number; owner_id: string; projects: Record<string, Record<string, unknown>> } {
  return {
    version: 1,
    owner_id: "123456789012345678",
    projects: {
      "my-app": {
        name: "my-app",
        path: "/Users/takala/code/my-app",
        enabled_tools: ["gemini", "codex", "claude"],
        default_tool: "gemini",
        default_args: { gemini: ["--model", "gemini-2.5-pro"], codex: [], claude: [] },
        created_at: "2026-02-26T14:00:00.000Z",
        updated_at: "2026-02-26T14:00:00.000Z",
      },
    },
  };
}
